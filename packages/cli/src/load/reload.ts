// Has the files of a project loaded anew: Node keeps each module for as long as the process lives, so a file is imported again under another URL.
//
// The files that the spider imports are imported again as well, because a hook gives every file below the folder the new URL, wherever it is imported
// from. Packages stay: two copies of one would not know each other's classes.
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

let version = 0
const roots = new Set<string>()

/** From now on imports of files below `folder` (absolute), other than packages, load them as they are now. */
export function reloadBelow(folder: string): void {
  if (version === 0) {
    registerHooks({
      resolve(specifier, context, next) {
        const found = next(specifier, context)
        return isBelow(found.url) ? { ...found, url: `${found.url}?reload=${version}` } : found
      },
    })
  }
  version++
  roots.add(`${pathToFileURL(folder).href}/`)
}

function isBelow(url: string): boolean {
  return !url.includes('/node_modules/') && !url.includes('?') && [...roots].some((root) => url.startsWith(root))
}
