// Words to fill pages with: seeded, plain, and about wading birds.
import { pick, type Chance } from '../seeded.ts'

const WORDS =
  'avocet shallow water sweep gentle bill heron stilt mud tide reed plover curlew sand salt marsh feather nest lagoon estuary wing shore pool wind dusk flock quiet dawn island grass shell river'.split(
    ' ',
  )

/** `count` words from the `from`-th on. */
export function words(chance: Chance, from: number, count: number): string {
  let text = ''
  for (let n = 0; n < count; n++) text += `${n === 0 ? '' : ' '}${pick(WORDS, chance, from + n)}`
  return text
}

/** The same with a capital letter at the beginning of each word. */
export function title(chance: Chance, from: number, count: number): string {
  return words(chance, from, count).replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
}

/** Paragraphs of about `bytes` bytes in all, as HTML. */
export function paragraphs(chance: Chance, bytes: number): string {
  let html = ''
  for (let n = 0; html.length < bytes; n += 60) html += `<p>${title(chance, n, 1)} ${words(chance, n + 1, 59)}.</p>\n`
  return html
}
