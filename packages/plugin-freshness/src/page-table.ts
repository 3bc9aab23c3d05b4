// What is known of the pages of a host, as text: 27 characters a page, so that 18,500 pages fit into a text of a host.
//
// Digits of base 64, of a fixed width, so that it is read without a parser. A number that is too large is cut: hours that are that many say the same.
import type { PageState } from './host-learning.ts'

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const VALUES: ReadonlyMap<string, number> = new Map(DIGITS.split('').map((digit, value) => [digit, value]))

/** Numbers of a page: digits, and units in 1. `at`: minutes since the epoch. */
const FIELDS = {
  id: { digits: 5, per: 1 },
  url: { digits: 4, per: 1 },
  kind: { digits: 1, per: 1 },
  at: { digits: 5, per: 60 },
  digest: { digits: 4, per: 1 },
  changes: { digits: 2, per: 16 },
  changedHours: { digits: 3, per: 100 },
  quietHours: { digits: 3, per: 100 },
} as const
const NAMES = Object.keys(FIELDS) as (keyof typeof FIELDS)[]
const WIDTH = NAMES.reduce((sum, name) => sum + FIELDS[name].digits, 0)

/** Texts of a host are bounded. */
const MOST_PAGES = Math.floor(500_000 / WIDTH)

/** As text. Of more pages than fit those that were visited last. */
export function tableText(pages: readonly PageState[]): string {
  const kept = pages.length <= MOST_PAGES ? pages : pages.toSorted((a, b) => b.at - a.at).slice(0, MOST_PAGES)
  return kept.map((page) => NAMES.map((name) => digitsOf(page[name], FIELDS[name])).join('')).join('')
}

/** The pages of such a text. */
export function tablePages(text: string): PageState[] {
  return Array.from({ length: Math.floor(text.length / WIDTH) }, (_, n) => {
    let at = n * WIDTH
    const page: Record<string, number> = {}
    for (const name of NAMES) {
      const { digits, per } = FIELDS[name]
      let value = 0
      for (const end = at + digits; at < end; at++) value = value * 64 + (VALUES.get(text[at] ?? '') ?? 0)
      page[name] = value / per
    }
    return page as unknown as PageState
  })
}

function digitsOf(number: number, { digits, per }: { readonly digits: number; readonly per: number }): string {
  let value = Math.min(64 ** digits - 1, Math.max(0, Math.round(number * per)))
  let text = ''
  for (let n = 0; n < digits; n++) {
    text = (DIGITS[value % 64] ?? '') + text
    value = Math.floor(value / 64)
  }
  return text
}
