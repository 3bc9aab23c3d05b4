// What the scripted web does with a saver: it has the body in one piece, at its end.
import type { BodySaver, Failure, ResponseHead } from '@avocet/core/plugin'
import type { Clock, FetchReceiver } from '@avocet/core/store'
import type { Response } from '@avocet/core'

/** A body that is saved. */
export interface ScriptedSave {
  /** Its saver wants another one. */
  readonly failure?: Failure
  end(
    response: Omit<Response, 'body' | 'wireBytes'>,
    world: { readonly bytes: Uint8Array; readonly receiver: FetchReceiver; readonly clock: Clock },
  ): void
  abort(): void
}

/** Undefined where the body is read. */
export function scriptedSave(saver: BodySaver | undefined, head: ResponseHead): ScriptedSave | undefined {
  if (saver === undefined || head.status < 200 || head.status > 299) return undefined
  const word = saver.accepts(head)
  if (word === 'read') return undefined
  return {
    ...(word !== 'save' && { failure: word }),
    end(response, { bytes, receiver, clock }) {
      const trouble = saver.write(bytes)
      if (typeof trouble === 'object') {
        saver.abort()
        return receiver.failed({ ...trouble, sent: true, phase: 'body' })
      }
      const hold = clock.hold('a body that is saved')
      saver.end((outcome) => {
        hold[Symbol.dispose]()
        if ('code' in outcome) receiver.failed({ ...outcome, sent: true, phase: 'body' })
        else receiver.done({ ...response, body: new Uint8Array(), wireBytes: bytes.length, saved: outcome })
      })
    },
    abort: () => saver.abort(),
  }
}
