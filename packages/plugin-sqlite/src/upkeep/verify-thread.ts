// The program of a thread that verifies a file, and says what it found; started by backup-store.ts alone.
import { parentPort, workerData } from 'node:worker_threads'
import { AvocetError } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import { verifyStore, type StoreVerdict } from '../verify/verify-store.ts'

/** What it says, once. An error of a thread would come without its code. */
export type ThreadVerdict =
  | { readonly kind: 'verdict'; readonly verdict: StoreVerdict }
  | { readonly kind: 'failed'; readonly message: string; readonly code?: AvocetError['code'] }

const said: ThreadVerdict = await verifyStore(String(workerData)).then(
  (verdict) => ({ kind: 'verdict', verdict }),
  (error: unknown) => ({
    kind: 'failed',
    message: messageOf(error),
    ...(error instanceof AvocetError && { code: error.code }),
  }),
)
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of Node's has none
parentPort?.postMessage(said)
