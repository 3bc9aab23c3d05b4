// What the page costs: CPU per update of a crawl of 800 hosts in the middle of its work, and how the page in a browser keeps up.
//
// Usage: node bench/ui/main.ts [--updates 300] [--json]. The crawl runs on virtual time, with the five policies and an SQLite store, goes on for 250 ms
// before each update and stands still while it is made: status, the rows on the screen, the questions to their policies, what changed, and its JSON. So nothing
// but the page is measured, and all of it. Where there is a Chromium, it opens the page with 800 hosts that all change four times a second, and one with
// 100,000 hosts: frames a second while they are scrolled, and the first paint.
import { toldOptions } from '../told-options.ts'
import { browserFigures, type BrowserFigures } from './in-browser.ts'
import { updateCosts, type UpdateCost } from './update-costs.ts'

/** Two per cent of a core at four updates a second. */
const BAR_US = 5_000
const MIN_FRAMES = 30
const MAX_FIRST_PAINT_MS = 300

const { values } = toldOptions('bench:ui', {
  options: { updates: { type: 'string', default: '300' }, json: { type: 'boolean', default: false } },
})
const costs = await updateCosts(Number(values.updates))
const browser = await browserFigures()
const passed =
  costs.every(({ hosts, microseconds }) => hosts >= 600 && microseconds <= BAR_US) &&
  (browser === undefined ||
    (browser.scrollFrames >= MIN_FRAMES && browser.updateFrames >= MIN_FRAMES && browser.firstPaintMs < MAX_FIRST_PAINT_MS))
if (values.json) console.log(JSON.stringify({ schema: 1, costs, ...(browser && { browser }), passed }))
else for (const line of [...costs.map(costLine), ...browserLines(browser)]) console.log(line)
process.exitCode = passed ? 0 : 1

function costLine({ view, hosts, microseconds, bytes }: UpdateCost): string {
  const percent = ((microseconds * 4) / 10_000).toFixed(2)
  return `${view}, ${hosts} hosts in hand: ${microseconds} µs an update of ${bytes} bytes (bar: ${BAR_US}), ${percent} % of a core at 4 a second`
}

function browserLines(figures: BrowserFigures | undefined): readonly string[] {
  if (figures === undefined) return ['no browser: frames were not counted']
  const { updateFrames, scrollFrames, firstPaintMs } = figures
  return [
    `${updateFrames} frames a second with 800 hosts that change (bar: ${MIN_FRAMES})`,
    `${scrollFrames} frames a second while 100,000 hosts are scrolled (bar: ${MIN_FRAMES})`,
    `first paint after ${firstPaintMs} ms (bar: ${MAX_FIRST_PAINT_MS})`,
  ]
}
