// A stream for what is said to people, line by line: each is logged, and passed on where people read.
import { Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'

/** In place of standard error. What it passes on is as it came. */
export class SaidLines extends Writable {
  readonly #said: (line: string) => void
  readonly #screen: Writable | undefined
  #begun = ''

  constructor(said: (line: string) => void, screen: Writable | undefined) {
    super({ decodeStrings: false })
    this.#said = said
    this.#screen = screen
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const lines = (this.#begun + String(chunk)).split('\n')
    this.#begun = lines.pop() ?? ''
    for (const line of lines) if (line !== '') this.#said(stripVTControlCharacters(line))
    if (this.#screen === undefined) done()
    else this.#screen.write(chunk, () => done())
  }
}
