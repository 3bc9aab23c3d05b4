// Why a request that waits was put back. A page that is read again for its links has two reasons at once: what those wait for, which stays the `reason` of
// its row of `trouble`, and this, which follows the counts in its `target` behind a colon: '50000 150000 :disk-low'.
import { CUT } from '../file/schema.ts'

/** As SQL: the word, or NULL; of rows `t` of `trouble` and `y` of `reason`. */
export const PUT_BACK_REASON: string = `iif(t.blame IS '${CUT}',
  iif(instr(t.target, ':') > 0, substr(t.target, instr(t.target, ':') + 1), NULL), y.word)`

/** Writes it: of an id, a reason's id, and its word. */
export const PUT_BACK: string = `INSERT INTO trouble (id, reason) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET
  target = iif(blame IS '${CUT}', iif(instr(target, ':') > 0, substr(target, 1, instr(target, ':')), target || ' :') || ?, target),
  reason = iif(blame IS '${CUT}', reason, excluded.reason), blame = iif(blame IS '${CUT}', blame, NULL)`
