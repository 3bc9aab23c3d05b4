// Colour, where the stream can show it: NO_COLOR and FORCE_COLOR are honoured by Node itself.
import type { Writable } from 'node:stream'
import { styleText } from 'node:util'

/** What a colour says. */
export type Tone = 'title' | 'quiet' | 'good' | 'warn' | 'bad'

/** Gives text a tone; the number of columns stays the same. */
export type Paint = (tone: Tone, text: string) => string

const STYLES = { title: 'bold', quiet: 'dim', good: 'green', warn: 'yellow', bad: 'red' } as const satisfies Record<Tone, string>

/** Without any colour. */
export const plain: Paint = (_tone, text) => text

/** With the colours that `stream` can show. */
export function paintFor(stream: Writable): Paint {
  return (tone, text) => (text === '' ? text : styleText(STYLES[tone], text, { stream }))
}
