// Has the garbage of large bodies collected before it comes to hundreds of megabytes.
//
// V8 counts what lies outside of its heap, but begins to collect late and in small steps: with bodies of 31 MiB, one at a time, 250 to 300 MiB of
// dead buffers and texts lay about (Node.js 26.10). A byte budget would be worth nothing beside that. So a collection is asked for after each 48 MiB
// of large bodies, which V8 would begin at about as many by itself: with pages of usual size none is.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Smaller ones are left to V8. */
const LARGE_BYTES = 2 ** 20
/** A body leaves its text behind, too, and what it was before it was decoded. */
const COLLECT_BYTES = 48 * 2 ** 20
/** With less in use, dead or alive, V8 has collected meanwhile, or there is nothing to fear: a collection takes some 50 ms of CPU. */
const LITTLE_BYTES = 128 * 2 ** 20

let collect: (() => void) | undefined
let collectBytes = COLLECT_BYTES
let garbageBytes = 0

/** So many bytes of one body are needed no more. The collection comes when nothing on the stack refers to them. */
export function leaveBehind(bytes: number): void {
  if (bytes < LARGE_BYTES) return
  const before = garbageBytes
  garbageBytes += bytes
  if (before < collectBytes && garbageBytes >= collectBytes) setImmediate(collectGarbage)
}

function collectGarbage(): void {
  garbageBytes = 0
  const { heapUsed, external } = process.memoryUsage()
  if (heapUsed + external < LITTLE_BYTES) return
  collect ??= collector()
  collect()
  // It takes as long as the heap that is alive is large, so that it comes as seldom.
  collectBytes = Math.max(COLLECT_BYTES, process.memoryUsage().heapUsed)
}

/** V8's own function, which a process without `--expose-gc` gets in a context of its own. */
function collector(): () => void {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  return gc
}
