// Reads a sitemap that is text: one URL in a line. Lines that are none are passed over.
import type { ListReader, TakeUrl } from './list-reader.ts'

/** Longer lines are no URLs that a server takes. */
const MOST_CHARACTERS = 8_192
const URL_LINE = /^(?:https?:\/\/|www\.)\S+$/i

/** A reader of text. */
export function textReader(take: TakeUrl): ListReader {
  let rest = ''
  let isTooLong = false
  const line = (text: string): void => {
    const url = text.trim()
    if (!isTooLong && url.length <= MOST_CHARACTERS && URL_LINE.test(url)) take({ text: url })
    isTooLong = false
  }
  return {
    kind: 'text',
    write(text) {
      const lines = (rest + text).split(/\r\n|\r|\n/)
      rest = lines.pop() ?? ''
      for (const each of lines) line(each)
      if (rest.length <= MOST_CHARACTERS) return
      rest = ''
      isTooLong = true
    },
    end(isWhole) {
      // The last line of a file that was cut off may lack its end.
      if (isWhole) line(rest)
      rest = ''
    },
  }
}
