// Where there is no terminal to draw on: a line every five seconds, read from the store that the crawl is writing.
import { openReader } from '@avocet/plugin-sqlite'

const LINE_MS = 5_000

/** Prints a line every five seconds until disposed. */
export function tellProgress(store: string): Disposable {
  const startedAt = performance.now()
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000)
    countsOf(store).then(
      (counts) => console.log(`${String(seconds).padStart(4)} s: ${counts}`),
      () => console.log(`${String(seconds).padStart(4)} s: no store yet`),
    )
  }, LINE_MS)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

async function countsOf(store: string): Promise<string> {
  const reader = await openReader(store)
  try {
    const { done, moved, failed, waiting, items } = await reader.counts()
    return `${String(done)} pages, ${String(items)} items, ${String(moved)} moved, ${String(failed)} failed, ${String(waiting)} waiting`
  } finally {
    await reader.close()
  }
}
