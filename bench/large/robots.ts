// A robots.txt of 24,000 rules on each of 200 hosts.
import { begin, PORT, served, type Figures } from './avocet.ts'

const HOSTS = 200
const PAGES = 10

/** Crawls ten pages of each, and reports. */
export async function robotsRun(folder: string, rules: number): Promise<{ readonly crawl: Figures; readonly report: Figures }> {
  const lines = Array.from({ length: rules }, (_, n) => `Disallow: /p${n.toString(36)}/*x`)
  const robots = ['User-agent: *', ...lines, 'Sitemap: /map.xml'].join('\n')
  const links = Array.from({ length: PAGES }, (_, n) => `<a href="/page/${n}">page</a>`).join('')
  const store = `robots-${rules}.db`
  const seeds = Array.from({ length: HOSTS }, (_, n) => `http://127.2.0.${n + 1}:${PORT}/`)
  const crawl = await served(
    ({ url = '' }, response) => {
      const isRobots = url === '/robots.txt'
      response.writeHead(200, { 'content-type': isRobots ? 'text/plain' : 'text/html' })
      response.end(isRobots ? robots : `<p>A page ${url}</p>${links}`)
    },
    () => begin(['crawl', '--seeds', '-', '--store', store, '-O', 'items.jsonl'], folder, { input: seeds.join('\n') }).ended,
  )
  return { crawl, report: await begin(['report', store, '--json'], folder).ended }
}
