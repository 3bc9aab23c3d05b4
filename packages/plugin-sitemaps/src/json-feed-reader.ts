// Reads a JSON Feed (https://www.jsonfeed.org/version/1.1/): `url` and dates of its items. It is read whole, up to a cap.
import type { ListReader, TakeUrl } from './list-reader.ts'

/** A feed has tens of entries; `JSON.parse` takes some 50 ms for so much, in one go. */
const MOST_CHARACTERS = 8 * 2 ** 20

/** A reader of JSON. */
export function jsonFeedReader(take: TakeUrl): ListReader {
  let text = ''
  let problem: string | undefined
  let kind: ListReader['kind'] = 'other'
  return {
    get kind() {
      return kind
    },
    get problem() {
      return problem
    },
    write(piece) {
      if (text.length <= MOST_CHARACTERS) text += piece
    },
    end() {
      const items = text.length > MOST_CHARACTERS ? `is more than ${MOST_CHARACTERS} characters of JSON` : itemsIn(text)
      text = ''
      if (typeof items === 'string') {
        problem = items
        return
      }
      kind = 'feed'
      for (const { url, date_modified: modified, date_published: published } of items) {
        const date = typeof modified === 'string' ? modified : published
        if (typeof url === 'string' && !take({ text: url, ...(typeof date === 'string' && { date }) })) return
      }
    },
  }
}

/** What stands in `items`, or why there are none. */
function itemsIn(text: string): readonly Readonly<Record<string, unknown>>[] | string {
  try {
    const { items } = JSON.parse(text) as { readonly items?: unknown }
    if (!Array.isArray(items)) return 'is JSON without items'
    return items.filter((item): item is Record<string, unknown> => typeof item === 'object' && item !== null)
  } catch {
    return 'is no JSON'
  }
}
