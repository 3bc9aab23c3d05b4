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

it.each(['title', 'anchor'])('keeps the %s of forty pages of a megabyte in a few bytes', (what) => {
  const before = used()
  const kept = Array.from({ length: 40 }, (_, n) => {
    const html = `<title>The page with number ${n}</title><a href="/">To the page before ${n}</a>`.padEnd(2 ** 20, `text ${n} `)
    const { title, anchors } = scanHtml(html)
    return what === 'title' ? title : (anchors[0]?.text ?? '')
  })

  expect(used() - before).toBeLessThan(10 * 2 ** 20)
  expect(kept).toHaveLength(40)
})
