// A spider with very many seeds, as LARGE_KIND says: `array`, `iterable` or `async`. It tells its parent when they begin.
import { spider } from 'avocet'

const { LARGE_KIND = 'array', LARGE_COUNT = '1000000', LARGE_PORT = '80' } = process.env

/** Runs of a dozen, at 10,000 hosts on the loopback. */
function* urls(): Generator<string> {
  for (let n = 0; n < Number(LARGE_COUNT); n++) {
    const host = (Math.floor(n / 12) * 317) % 10_000
    yield `http://127.1.${host >> 8}.${host & 255}:${LARGE_PORT}/articles/a-title-of-some-words-${String(n).padStart(8, '0')}`
  }
}

async function* slowly(): AsyncGenerator<string> {
  yield* urls()
}

function begun<Seeds>(seeds: Seeds): Seeds {
  process.send?.('begun')
  return seeds
}

/** Flat strings, as a file has them. */
const list = LARGE_KIND === 'array' ? Array.from(urls(), (url) => Buffer.from(url).toString('latin1')) : []

export default spider({
  name: 'large',
  seeds: LARGE_KIND === 'array' ? begun(list) : () => begun(LARGE_KIND === 'async' ? slowly() : urls()),
  handlers: { start: () => [] },
})
