// What somebody keeps of a page, such as its title, does not keep the page in RAM.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { scanHtml } from '../../src/markup/scanner.ts'

/** Bytes in use once all garbage is collected. */
function used(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  return process.memoryUsage().heapUsed
}

it('keeps the title of forty pages of a megabyte in a few bytes', () => {
  const before = used()
  const kept = Array.from(
    { length: 40 },
    (_, n) => scanHtml(`<title>The page with number ${n}</title>`.padEnd(2 ** 20, `text ${n} `)).title,
  )

  expect(used() - before).toBeLessThan(10 * 2 ** 20)
  expect(kept).toHaveLength(40)
})
