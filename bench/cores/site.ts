// Sixty hosts of small pages, at loopback addresses of their own, served from a process of its own. Prints its port, ends when its stdin ends.
//
// Page n of a host links to its first page, to the ten around it and to the next ones, so most links are known. Pages are made before the first request, for
// what is measured is the crawler. It judges as well: at the end it prints the most requests that one host had in flight at once, which is more than one as
// soon as two processes ask a host; and the CPU that serving took.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const pages = Number(process.argv[2] ?? 400)
const TEXT = 'Small pages cost what a crawl costs, and little else. '.repeat(20)
const bodies = Array.from({ length: pages }, (_, n) => Buffer.from(bodyOf(n)))
const inFlight = new Map<string, number>()
let most = 0
let served = 0

const server = createServer((request, response) => {
  const host = request.headers.host ?? ''
  const now = (inFlight.get(host) ?? 0) + 1
  inFlight.set(host, now)
  most = Math.max(most, now)
  served++
  const body = bodies[Number((request.url ?? '/').slice(1))]
  response.on('close', () => inFlight.set(host, (inFlight.get(host) ?? 0) - 1))
  if (body === undefined) response.writeHead(404).end()
  else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-length': body.length }).end(body)
})
let before = process.cpuUsage()
server.listen(0, () => {
  before = process.cpuUsage()
  console.log((server.address() as AddressInfo).port)
})
process.stdin.resume().on('end', () => {
  const { user, system } = process.cpuUsage(before)
  console.log(JSON.stringify({ served, most, cpuSeconds: (user + system) / 1e6 }))
  process.exit()
})

function bodyOf(n: number): string {
  const near = Array.from({ length: 20 }, (_, k) => n - 9 + k).filter((k) => k >= 0 && k < pages)
  const links = [0, ...near].map((k) => `<li><a href="/${k}">page ${k}</a></li>`).join('')
  return `<!doctype html><title>${n}</title><p>${TEXT}</p><ul>${links}</ul>`
}
