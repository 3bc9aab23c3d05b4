// How a store keeps the URL of a request: without the origin, which its host has.

/** A path of the host's own origin begins with a slash; any other URL is stored whole. */
export function urlOf(path: string, origin: string): string {
  return path.startsWith('/') ? origin + path : path
}

/** What is stored of `url` for a host of this origin. */
export function pathFor(url: string, origin: string): string {
  return url.startsWith(origin) && url[origin.length] === '/' ? url.slice(origin.length) : url
}
