// Reads a JSON Feed (https://www.jsonfeed.org/version/1.1/): `url` and dates of its items. It is read whole, up to a cap.
import type { ListReader, TakeUrl } from './list-reader.ts'

/** A feed has tens of entries; `JSON.parse` takes some 50 ms for so much, in one go. */
const MOST_CHARACTERS = 8 * 2 ** 20
/** Or a text, whole, with the commas in it; one without an end goes to the end of all, so that time is linear. */
const COMMA_BEFORE_END = /"(?:[^"\\]+|\\[\s\S])*"?|,(?=[ \t\r\n]{0,64}[}\]])/g

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
      for (const item of items) {
        const url = firstText(item['url'], item['external_url'])
        const date = firstText(item['date_modified'], item['date_published'])
        if (url !== undefined && !take({ text: url, ...(date !== undefined && { date }) })) return
      }
    },
  }
}

/** The first of `values` that says something. */
function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value.trim() !== '')
}

/** What stands in `items`, or why there are none. */
function itemsIn(text: string): readonly Readonly<Record<string, unknown>>[] | string {
  try {
    const { items } = parsed(text) as { readonly items?: unknown }
    if (!Array.isArray(items)) return 'is JSON without items'
    return items.filter((item): item is Record<string, unknown> => typeof item === 'object' && item !== null)
  } catch {
    return 'is no JSON'
  }
}

/** Commas before an end, which people write, are one too many; texts are passed over. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return JSON.parse(text.replaceAll(COMMA_BEFORE_END, (found) => (found.startsWith('"') ? found : '')))
  }
}
