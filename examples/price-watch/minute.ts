// A real minute on a rough web: `node minute.ts [SHOPS]`. An hour of the shops lasts 20 seconds, and after half a minute the crawl is killed.
import { watchShops } from '../check/watch.ts'

const shops = Number(process.argv[2] ?? 800)
const { products, prices, rounds, differences } = await watchShops({
  shops,
  roundMs: 20_000,
  lengthMs: 62_000,
  killAtMs: 30_000,
})
console.log(
  `${String(shops)} shops, ${String(products)} products, ${String(rounds)} looks, one kill -9: ${String(prices)} prices`,
)
console.log(differences.length === 0 ? 'all of them right, none missing, none twice' : differences.join('\n'))
process.exitCode = differences.length === 0 ? 0 : 1
