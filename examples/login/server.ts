// Serves the site on this machine. Run it by itself to have a site to crawl: node server.ts [port]
import { text } from 'node:stream/consumers'
import { serveSite, type ServedSite, type ServeOptions } from '../check/serve-site.ts'
import { LoginSite } from './site.ts'

/** The account of the example. */
export const PASSWORD = 'salt & mud'

/** A site that is open. */
export interface OpenSite extends ServedSite {
  readonly site: LoginSite
}

/** Opens it. */
export async function openSite(options: ServeOptions = {}): Promise<OpenSite> {
  const site = new LoginSite({ ann: PASSWORD })
  const served = await serveSite(async (request) => {
    const { pathname: path } = new URL(request.url ?? '/', 'http://site')
    const { method = 'GET', headers } = request
    return site.answer({ method, path, cookie: headers.cookie, body: await text(request) })
  }, options)
  return { ...served, site }
}

if (process.argv[1] === import.meta.filename) {
  const { origin } = await openSite({ port: Number(process.argv[2] ?? 8045) })
  console.log(`${origin}, and MEMBERS_PASSWORD='${PASSWORD}'`)
}
