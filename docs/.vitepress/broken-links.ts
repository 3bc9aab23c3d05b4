// What is wrong with the links of a built site: a file or an anchor that is not there, and anything that a page would load from another host.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** One line for each, with the page that has it. */
export function brokenLinks(folder: string): string[] {
  const pages = new Map<string, string>(
    globSync('**/*.html', { cwd: folder }).map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  )
  return [...pages].flatMap(([path, html]) => {
    const links = [...html.matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)].map(([, href = '']) => href)
    const broken = links.filter((href) => !/^[a-z]+:/.test(href) && !leadsSomewhere(href, path))
    const loaded = [...html.matchAll(/<(?:link|script|img|iframe|source)\b[^>]*?\s(?:href|src)="((?:https?:)?\/\/[^"]*)"/g)]
    return [...broken, ...loaded.map(([, url = '']) => url)].map((href) => `${path}: ${href}`)
  })

  function leadsSomewhere(href: string, from: string): boolean {
    const [place = '', anchor] = decodeURI(href.replaceAll('&amp;', '&')).split('#')
    const target = place === '' ? from : place.startsWith('/') ? place.slice(1) : posix.join(posix.dirname(from), place)
    const file = target === '' || target.endsWith('/') ? posix.join(target, 'index.html') : target
    if (!existsSync(join(folder, file))) return false
    return anchor === undefined || anchor === '' || (pages.get(file) ?? '').includes(` id="${anchor}"`)
  }
}
