/* SPDX-License-Identifier: Apache-2.0 */
/* gate_rules.c - the tiers of the gate: those of the configuration, and the built-in one. */
#include "decide/gate.h"

#include "base/arena.h"
#include "base/error.h"

/* Commands that change what others use, or what cannot be brought back. */
static const bt_str BUILTIN[] = {
    BT_STR_INIT("git push"),
    BT_STR_INIT("git reset --hard"),
    BT_STR_INIT("git clean"),
    BT_STR_INIT("git branch -D"),
    BT_STR_INIT("gh pr merge"),
    BT_STR_INIT("gh release create"),
    BT_STR_INIT("gh release delete"),
    BT_STR_INIT("gh release edit"),
    BT_STR_INIT("gh release upload"),
    BT_STR_INIT("gh repo delete"),
    BT_STR_INIT("terraform apply"),
    BT_STR_INIT("terraform destroy"),
    BT_STR_INIT("terraform import"),
    BT_STR_INIT("tofu apply"),
    BT_STR_INIT("tofu destroy"),
    BT_STR_INIT("tofu import"),
    BT_STR_INIT("terragrunt apply"),
    BT_STR_INIT("terragrunt destroy"),
    BT_STR_INIT("terragrunt import"),
    BT_STR_INIT("terraform state rm"),
    BT_STR_INIT("terraform state mv"),
    BT_STR_INIT("terraform state push"),
    BT_STR_INIT("tofu state rm"),
    BT_STR_INIT("tofu state mv"),
    BT_STR_INIT("tofu state push"),
    BT_STR_INIT("pulumi up"),
    BT_STR_INIT("pulumi destroy"),
    BT_STR_INIT("kubectl apply"),
    BT_STR_INIT("kubectl create"),
    BT_STR_INIT("kubectl delete"),
    BT_STR_INIT("kubectl edit"),
    BT_STR_INIT("kubectl patch"),
    BT_STR_INIT("kubectl replace"),
    BT_STR_INIT("kubectl scale"),
    BT_STR_INIT("kubectl drain"),
    BT_STR_INIT("kubectl exec"),
    BT_STR_INIT("kubectl rollout restart"),
    BT_STR_INIT("helm install"),
    BT_STR_INIT("helm upgrade"),
    BT_STR_INIT("helm uninstall"),
    BT_STR_INIT("helm rollback"),
    BT_STR_INIT("aws ** create-*"),
    BT_STR_INIT("aws ** delete-*"),
    BT_STR_INIT("aws ** put-*"),
    BT_STR_INIT("aws ** update-*"),
    BT_STR_INIT("aws ** terminate-*"),
    BT_STR_INIT("aws ** run-*"),
    BT_STR_INIT("gcloud ** create"),
    BT_STR_INIT("gcloud ** delete"),
    BT_STR_INIT("gcloud ** update"),
    BT_STR_INIT("az ** create"),
    BT_STR_INIT("az ** delete"),
    BT_STR_INIT("az ** update"),
    BT_STR_INIT("docker push"),
    BT_STR_INIT("npm publish"),
    BT_STR_INIT("yarn publish"),
    BT_STR_INIT("pnpm publish"),
    BT_STR_INIT("cargo publish"),
    BT_STR_INIT("twine upload"),
    BT_STR_INIT("systemctl stop"),
    BT_STR_INIT("systemctl restart"),
    BT_STR_INIT("systemctl disable"),
    BT_STR_INIT("systemctl mask"),
};

static const struct bt_config_tier builtin_tier = {
    .name = BT_STR_INIT("T3"),
    .risk = BT_STR_INIT("HIGH"),
    .commands = {BUILTIN, sizeof(BUILTIN) / sizeof(BUILTIN[0])}};

enum bt_status bt_gate_rules_read(struct bt_arena *arena, const struct bt_config *config,
                                  struct bt_gate_rules *out)
{
    const size_t count = bt_config_count(config, "gate.tiers");
    const size_t protect = bt_config_count(config, "gate.protect");
    struct bt_config_tier *tiers = BT_NEW_ARRAY(arena, struct bt_config_tier, count + 1);
    bt_str *paths = BT_NEW_ARRAY(arena, bt_str, protect + 1);
    BT_TRY(tiers && paths ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        BT_TRY(bt_config_tier(config, i, arena, &tiers[i]));
    }
    for (size_t i = 0; i < protect; i++) {
        paths[i] = bt_config_item(config, "gate.protect", i);
    }
    const bool has_builtin = bt_config_bool(config, "gate.builtin");
    if (has_builtin) {
        tiers[count] = builtin_tier;
    }
    *out = (struct bt_gate_rules){tiers, count + (has_builtin ? 1 : 0), {paths, protect}};
    return BT_OK;
}
