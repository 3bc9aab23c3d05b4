// Serves the worlds of bench:floor from a process of its own, each at a port of its own. Prints the ports as JSON, ends when its stdin ends.
// `/served` answers how many different pages were asked for since the last such question.
//
// Pages are made before the first request: what serving takes is then the same for all, and small beside what is measured.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pick, seeded, type ModelProduct } from '@avocet/simulator'
import { addressOf, modelOf, WORLDS, type World } from './worlds.ts'

const ports: Record<string, number> = {}
for (const [name, world] of Object.entries(WORLDS)) ports[name] = await serve(world)
console.log(JSON.stringify(ports))
process.stdin.resume().on('end', () => process.exit())

async function serve(world: World): Promise<number> {
  const bodies = new Map<string, Uint8Array>()
  const served = new Set<string>()
  const server = createServer((request, response) => {
    // By the address: wget2 leaves out the port of its Host field.
    const page = `${request.socket.localAddress ?? ''}${request.url ?? '/'}`
    const body = bodies.get(page)
    if (request.url === '/served') {
      response.end(JSON.stringify({ pages: served.size }))
      served.clear()
    } else if (body === undefined) response.writeHead(404).end()
    else {
      served.add(page)
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-length': body.length }).end(body)
    }
  })
  server.keepAliveTimeout = 60_000
  const port = await new Promise<number>((listening) => {
    server.listen(0, '0.0.0.0', () => listening((server.address() as AddressInfo).port))
  })
  const model = modelOf(world, port)
  const urls = model.urls()
  const products = model.expected.products(addressOf(0))
  if (urls.length !== world.pages) throw new Error(`expected ${world.pages} pages, got ${urls.length}`)
  for (const url of urls) {
    const { hostname, pathname, search } = new URL(url)
    const page = model.page(hostname, pathname + search)
    if (page === undefined) throw new Error(`expected a page at ${url}`)
    const isProduct = pathname.startsWith('/product/')
    bodies.set(hostname + pathname + search, isProduct ? furnished(page.body, pathname, { world, products }) : page.body)
  }
  return port
}

/** With as much around the product as the pages of real shops have: links to others, and text. */
function furnished(
  body: Uint8Array,
  path: string,
  { world, products }: { world: World; products: readonly ModelProduct[] },
): Buffer {
  const html = Buffer.from(body).toString()
  const chance = seeded('beside', path)
  const others = Array.from({ length: world.links }, (_, n) => pick(products, chance, n))
  const links = others.map(({ sku, name }) => `<li><a class="related product" href="${sku}">${name}</a></li>\n`)
  const text = /<p>[A-Z][^<]{99,}<\/p>\n/.exec(html)?.[0] ?? ''
  return Buffer.from(html.replace('</body>', `<ul>${links.join('')}</ul>\n${text.repeat(world.textBytes / text.length)}</body>`))
}
