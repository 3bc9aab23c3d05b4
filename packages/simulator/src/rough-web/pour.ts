// Pours a body into a response at a given throughput, until it is all there or the client has gone.
import type { ServerResponse } from 'node:http'
import type { Clock } from '@avocet/core/store'

/** Shortest time between two pieces: below it timers cost more than they tell. */
const MIN_PIECE_MS = 20

/** What to pour: a body, or so many zero bytes a piece for ever. */
export interface Pouring {
  readonly body: Uint8Array | 'endless'
  readonly bytesPerSecond: number
  /** Called when all is written; not when the client left before. */
  readonly end: () => void
}

/** Writes piece by piece. Headers must have been written. */
export function pour(response: ServerResponse, { body, bytesPerSecond, end }: Pouring, clock: Clock): void {
  if (body !== 'endless' && bytesPerSecond === Infinity) {
    response.write(body, end)
    return
  }
  const pieceMs = Math.max(MIN_PIECE_MS, 1_000 / bytesPerSecond)
  const pieceBytes = Math.max(1, Math.round((bytesPerSecond * pieceMs) / 1_000))
  const endless = body === 'endless' ? new Uint8Array(pieceBytes) : undefined
  let poured = 0
  const next = (): void => {
    if (response.destroyed) return
    const piece = endless ?? (body as Uint8Array).subarray(poured, poured + pieceBytes)
    if (piece.byteLength === 0) return end()
    poured += piece.byteLength
    // A client that does not read is waited for: nothing piles up here.
    if (response.write(piece)) clock.at(clock.now() + pieceMs, next)
    else response.once('drain', () => clock.at(clock.now() + pieceMs, next))
  }
  response.flushHeaders()
  clock.at(clock.now() + pieceMs, next)
}
