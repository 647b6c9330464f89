# SPDX-License-Identifier: Apache-2.0
"""catalogues.py - catalogues of governed agents, and documents about them, for the tests beside it."""
import copy
import hashlib
import json
import pathlib

NOW = "2026-03-04T10:00:30Z"
LISTS = {
    "domain-01-content": ("Content Creation", ["- **With Domain 02 (Analysis):** takes findings as raw material"]),
    "domain-02-analysis": ("Analysis & Decision Making", ["- **With Domain 01 (Content):** hands findings over"]),
    "domain-05-product": ("Product & Services", ["- **With Domain 02 (Analysis):** takes results", "- **With Domain 09 (Technical):** hands over requirements"]),
    "domain-07-personal": ("Personal Development", ["- **With Domain 01 (Content):** is separate from content"]),
    "domain-09-technical": ("Technical & System Thinking", ["- **With Domain 05 (Product):** returns feasibility"]),
}
SHARES = {"domain-05-product": 50, "domain-02-analysis": 30, "domain-09-technical": 20}


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


class Catalogue:
    """Manifest, lock and prompts as objects; write() puts them into a folder."""

    def __init__(self):
        self.prompts = {}
        self.files = {}
        domains = {}
        for agent, (name, lines) in LISTS.items():
            domains[agent] = {"name": name, "file": f"domains/{agent}.system.prompt.md", "canonical_id": agent, "version": "1.0.0", "scope": "x"}
            self.prompts[agent] = f"# {name}\n\n### Collaboration Boundaries\n" + "\n".join(lines) + "\n\n## Limits\n"
        self.prompts["product-thinker"] = "# Product Thinker\n\n### Collaboration with Other Domains\n- **With Domain 01 (Content):** hands over copy\n"
        self.manifest = {
            "version": "1.0.0", "taxonomy": {"domains": 5, "archetypes": 1, "total_prompts": 6}, "domains": domains,
            "archetypes": {"product-thinker": {"name": "Product Thinker", "file": "archetypes/product-thinker.system.prompt.md",
                                               "canonical_id": "product-thinker", "version": "1.0.0", "composition": dict(SHARES)}},
            "governance": {name: True for name in ("immutable_domains", "hash_verification_required", "version_increment_required",
                                                   "archetype_composition_validation")}}
        self.lock = None

    def entries(self):
        sections = (("domain", "domains"), ("archetype", "archetypes"), ("orchestrator", "orchestrators"))
        return {agent: (kind, entry) for kind, section in sections for agent, entry in self.manifest.get(section, {}).items()}

    def sealed(self):
        prompts = {agent: {"file": entry["file"], "hash": digest(self.prompts[agent]), "type": kind, "version": entry["version"]}
                   for agent, (kind, entry) in self.entries().items()}
        counts = {kind: sum(1 for found, _ in self.entries().values() if found == kind) for kind in ("domain", "archetype", "orchestrator")}
        lock = {"version": self.manifest["version"], "lockfileVersion": 1, "algorithm": "SHA-256", "prompts": prompts,
                "integrity": {"total_prompts": len(prompts), "domains": counts["domain"], "archetypes": counts["archetype"]}}
        if counts["orchestrator"]:
            lock["integrity"]["orchestrators"] = counts["orchestrator"]
        return lock

    def write(self, folder):
        folder = pathlib.Path(folder)
        self.lock = self.lock or self.sealed()
        files = {"versions/prompt-manifest.json": json.dumps(self.manifest), "versions/prompt-lock.json": json.dumps(self.lock)}
        files.update({entry["file"]: self.prompts[agent] for agent, (_, entry) in self.entries().items()})
        files.update(self.files)
        for path, text in files.items():
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        return folder

    def agent(self, agent):
        entry = self.lock["prompts"][agent]
        return {"agent_type": entry["type"], "agent_id": agent, "agent_version": entry["version"], "prompt_hash": entry["hash"]}

    def handoff(self, source="domain-05-product", target="domain-02-analysis", number=1, **changes):
        self.lock = self.lock or self.sealed()
        made = {"handoff_id": f"6f1d2c3b-4a59-4e8d-9b70-{number:012x}", "timestamp": "2026-03-04T10:00:00Z", "protocol_version": "1.0.0",
                "source_agent": self.agent(source), "target_agent": self.agent(target),
                "context": {"request": {"type": "analysis", "description": "Find the loss", "input_data": {}, "constraints": [], "expected_output": "A table"},
                            "state": {"conversation_history": [], "accumulated_context": {}, "decisions_made": []}},
                "governance": {"source_agent_verified": True, "target_agent_verified": True, "composition_valid": True, "boundaries_respected": True,
                               "audit_trail": "a"}}
        return changed(made, changes)

    def response(self, by="domain-02-analysis", number=1, answers=1, **changes):
        made = {"response_id": f"7f1d2c3b-4a59-4e8d-9b70-{number:012x}", "timestamp": "2026-03-04T10:00:20Z", "protocol_version": "1.0.0",
                "agent": self.agent(by),
                "response": {"status": "success", "content": {"type": "text", "data": "Done", "format": "plain"}, "confidence": "high"},
                "request_context": {"request_id": f"6f1d2c3b-4a59-4e8d-9b70-{answers:012x}", "request_type": "analysis", "request_summary": "s"},
                "governance": {name: True for name in ("within_scope", "boundaries_respected", "quality_standards_met", "constraints_followed")}}
        return changed(made, changes)


def changed(document, changes):
    """Set members by paths with __ between the names."""
    made = copy.deepcopy(document)
    for path, value in changes.items():
        *folders, last = path.split("__")
        place = made
        for name in folders:
            place = place[name]
        place[last] = value
    return made
