/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.h - one conversation between a client and a wrapped server: lines in, lines out.
 *
 *     bt_wrap_session_take(session, BT_WRAP_CLIENT, line);
 *     ... write session->to[BT_WRAP_SERVER] and session->to[BT_WRAP_CLIENT], and clear them
 *
 * A message that no rule refuses is passed with the bytes it came in. The session uses neither
 * descriptors nor a clock; the caller reads, writes and waits.
 */
#ifndef BATON_SRC_WRAP_SESSION_H
#define BATON_SRC_WRAP_SESSION_H

#include "base/arena.h"
#include "base/buf.h"
#include "report/report.h"
#include "wrap/calls.h"
#include "wrap/pins.h"
#include "wrap/policy.h"
#include "wrap/requests.h"
#include "wrap/spending.h"
#include "wrap/tasks.h"
#include "wrap/tools.h"

struct bt_plan_checker; /* see dialect/plan/plan.h */
struct bt_wrap_consent; /* see wrap/consent.h */
struct bt_wrap_repeats; /* see wrap/repeat.h */
struct bt_tokens;       /* see token/tokens.h */

/* The two sides of a conversation. */
enum bt_wrap_side { BT_WRAP_CLIENT = 0, BT_WRAP_SERVER, BT_WRAP_SIDES };

/*
 * What the caller writes for a session, which uses no descriptors. A function that fails returns
 * false, and the session does without.
 */
struct bt_wrap_writer {
    void *context;
    /* Write the entry of a server that is pinned at its first use into the lock. */
    bool (*pin)(void *context, const struct bt_wrap_entry *entry);
    /* Keep a text in a new file, and give its absolute path in the arena. */
    bool (*spill)(void *context, bt_str text, struct bt_arena *arena, bt_str *out_path);
};

/*
 * Who measures calls. The session has no clock of its own, and tells when a call was answered; a
 * callback, because what is made of it is the business of `baton serve`.
 */
struct bt_wrap_meter {
    void *context;
    uint64_t (*now_us)(void);
    /* A call was answered: its time in the server, and from its arrival until it is answered. */
    void (*note_call)(void *context, uint64_t server_us, uint64_t total_us);
};

struct bt_wrap_settings {
    bt_str name; /* of the server, see bt_wrap_name_is_valid() */
    struct bt_wrap_policy policy;
    bool logs_info;                      /* `log` also has INFO findings and one line per call */
    bool is_quiet;                       /* `log` has no findings */
    bool is_unlocked;                    /* no lock is wanted */
    bool is_upstream;                    /* lines of the server may be notes, see below ... */
    bool is_served;                      /* ... and lines of the client, which is in this process */
    const struct bt_wrap_lock *lock;     /* has the other servers; NULL: there is none */
    const struct bt_wrap_entry *entry;   /* of the lock; NULL: the server is not pinned */
    const struct bt_wrap_entry *started; /* what the command is now; with an entry or first_use */
    struct bt_plan_checker *plans;       /* compares schemas; with an entry or first_use */
    struct bt_tokens *tokens;            /* counts results; NULL: they are not counted */
    const struct bt_schema_limits *schema_limits; /* of judging a value; NULL: the defaults */
    const struct bt_wrap_writer *writer;          /* NULL: nothing is written */
    const struct bt_wrap_meter *meter;            /* NULL: nothing is measured */
    struct bt_wrap_spending *spending; /* shared with other sessions; NULL: one of its own */
    const struct bt_wrap_record_settings *recording; /* NULL: nothing is recorded */
    const struct bt_wrap_repeats *repeats;           /* NULL: calls are not compared */
    const struct bt_wrap_consent *consent;           /* NULL: no call needs an approval */
    const struct bt_wrap_shared_tools *shared_tools; /* NULL: no other server is in this process */
};

/* The defaults of everything but the name: not pinned. */
struct bt_wrap_settings bt_wrap_settings_default(bt_str name);

enum { BT_WRAP_TEXT_BYTES_MAX = 200 };

/* A text that one side gives about itself; longer ones are cut. */
struct bt_wrap_text {
    size_t size;
    char bytes[BT_WRAP_TEXT_BYTES_MAX];
};

enum bt_wrap_era { BT_WRAP_ERA_NONE = 0, BT_WRAP_ERA_LEGACY, BT_WRAP_ERA_MODERN };

/* What the report says about a session. */
struct bt_wrap_facts {
    char session[BT_UUID_TEXT_BYTES];
    enum bt_wrap_era era;
    struct bt_wrap_text protocol; /* the version that was negotiated, or named last */
    struct bt_wrap_text client;
    struct bt_wrap_text server_name;
    struct bt_wrap_text server_version;
    uint64_t calls;
    uint64_t returned;
    uint64_t failed;
    uint64_t refused;
    uint64_t withheld;
    uint64_t replayed;
    uint64_t cancelled;
    uint64_t lost;
    uint64_t tokens;  /* of results */
    uint64_t dropped; /* messages of the server that were not passed on */
    uint64_t messages[BT_WRAP_SIDES];
    bool client_has_forms; /* as a legacy client said at the start */
};

enum { BT_WRAP_APPROVAL_ID_BYTES = 40 };

/* A request that waits for a list, or for a person. */
struct bt_wrap_held {
    struct bt_wrap_held *next;
    struct bt_wrap_id id;
    enum bt_wrap_kind kind;
    uint64_t question; /* the number of our request to the client; 0: it waits for a list */
    bool is_repeated;  /* it waits for an equal call instead, whose digest is the fingerprint */
    char approval[BT_WRAP_APPROVAL_ID_BYTES];
    char fingerprint[BT_SHA256_HEX_BYTES];
    struct bt_buf *line;
};

/* Held requests in the order in which they came. */
struct bt_wrap_queue {
    struct bt_wrap_held *first;
    struct bt_wrap_held *last;
    size_t count;
    size_t questions; /* of them: wait for a person */
    uint64_t bytes;
    struct bt_object_pool pool;
};

struct bt_wrap_session {
    const struct bt_wrap_settings *settings;
    struct bt_env *env;
    struct bt_arena arena;
    struct bt_arena message; /* for one message at a time */
    struct bt_findings *findings;
    struct bt_buf to[BT_WRAP_SIDES];             /* what goes to each side; the caller empties it */
    struct bt_buf log;                           /* lines for people; the caller empties it */
    struct bt_wrap_requests open[BT_WRAP_SIDES]; /* by who asked */
    struct bt_wrap_facts facts;
    const struct bt_wrap_entry *entry; /* of the lock; NULL: the server is not pinned */
    struct bt_wrap_pins pins;
    struct bt_wrap_tools tools;
    struct bt_wrap_counters spending;
    struct bt_wrap_tasks tasks;
    struct bt_wrap_queue held;
    struct bt_wrap_waiting_answers waiting;
    struct bt_wrap_record *repeatable; /* calls that may be repeated, until their fate is known */
    uint64_t now_ms;                   /* the caller sets it before each call */
    bool server_has_ended;             /* by itself */
    bool is_blocked; /* the server changed: nothing passes any more; the caller ends it */
};

/*
 * Begin a session; `settings` and `env` must outlive it. End it with bt_wrap_session_free() in
 * every case. BT_ENOMEM, BT_EIO: no memory, no randomness.
 */
BT_MUST_USE enum bt_status bt_wrap_session_init(struct bt_wrap_session *session,
                                                const struct bt_wrap_settings *settings,
                                                struct bt_env *env);
void bt_wrap_session_free(struct bt_wrap_session *session);

/*
 * Take one line of a side, without its LF. Blank lines are skipped. BT_ENOMEM: no memory; the
 * session cannot go on.
 */
BT_MUST_USE enum bt_status bt_wrap_session_take(struct bt_wrap_session *session,
                                                enum bt_wrap_side from, bt_str line);
/*
 * The byte with which a note begins. A note of the process that talks to an HTTP server holds the
 * status of an answer that failed, or the reason why there is none; a note of the client holds the
 * id, a number, of a request whose answer nobody waits for any more.
 */
#define BT_WRAP_NOTE '\x01'

/* Take the first bytes of a line that is longer than a message may be. */
BT_MUST_USE enum bt_status bt_wrap_session_take_too_long(struct bt_wrap_session *session,
                                                         enum bt_wrap_side from, bt_str head);

/*
 * When bt_wrap_session_expire() and bt_wrap_session_collect() must be called, in the time of
 * now_ms: a held request must be decided, or a record is late. UINT64_MAX: neither.
 */
uint64_t bt_wrap_session_deadline(const struct bt_wrap_session *session);
/* Decide about held requests whose time is over. BT_ENOMEM: no memory. */
BT_MUST_USE enum bt_status bt_wrap_session_expire(struct bt_wrap_session *session);

/*
 * Take what became of records: pass answers that waited for them on, or withhold them. Call it when
 * the recorder wakes, and at its deadline. BT_ENOMEM: no memory.
 */
BT_MUST_USE enum bt_status bt_wrap_session_collect(struct bt_wrap_session *session);

/* The records that are not durable yet, nor known to be missing. */
uint64_t bt_wrap_session_unrecorded(const struct bt_wrap_session *session);
/* Record how many calls are missing, if any are and the store may be tried. BT_ENOMEM, BT_EIO. */
BT_MUST_USE enum bt_status bt_wrap_session_record_gap(struct bt_wrap_session *session);
/* The bytes for the client that wait for records. */
uint64_t bt_wrap_session_waiting(const struct bt_wrap_session *session);
/* The memory of records that wait to be written; the client is not read while it is large. */
uint64_t bt_wrap_session_record_bytes(const struct bt_wrap_session *session);

/* True while the server may still be asked something, although the client has ended. */
bool bt_wrap_session_needs_server(const struct bt_wrap_session *session);
/* The requests of the client that an answer is waited for. */
size_t bt_wrap_session_awaited(const struct bt_wrap_session *session);

/* The client says no more: forget calls that wait for a person, undecided. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_session_client_ended(struct bt_wrap_session *session);

/* How the server ended. */
struct bt_wrap_server_end {
    bool was_signalled;
    int number; /* of the signal, or the exit status */
};

/*
 * The server ended by itself: every open request is answered, and the requests in later lines of
 * the client are answered in the same way.
 */
BT_MUST_USE enum bt_status bt_wrap_session_server_ended(struct bt_wrap_session *session,
                                                        struct bt_wrap_server_end end);
/* Answer every request that is still open, because the server is ended. */
BT_MUST_USE enum bt_status bt_wrap_session_close(struct bt_wrap_session *session);

/*
 * End the session and judge it: findings, facts and verdict, in the arena of the session. The
 * judgement is about the server's name. BT_ENOMEM: no memory.
 */
BT_MUST_USE enum bt_status bt_wrap_session_judge(struct bt_wrap_session *session,
                                                 struct bt_judgement *out);

#endif
