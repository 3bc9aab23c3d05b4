// Handlers of plugins, beside those of the spider: from the plugins of a crawl to what its pages are handled with.
import { documentName, type DocumentHandler } from '../ports/document-handler.ts'
import type { Plugin } from '../ports/plugin.ts'
import type { Spider } from '../ports/spider.ts'
import type { DiscoveryLimits } from '../ports/discovery-limits.ts'
import { failure } from '../ports/failure.ts'
import type { HandlerResult } from './yields.ts'

/** The handlers of `plugins`, by their names in links. */
export function documentsOf(plugins: readonly Plugin[]): ReadonlyMap<string, DocumentHandler> {
  const documents = new Map<string, DocumentHandler>()
  for (const plugin of plugins)
    for (const [key, handler] of Object.entries(plugin.handlers ?? {})) documents.set(documentName(plugin.name, key), handler)
  return documents
}

/** `spider` with the handlers of plugins, each called with the memory of its plugin; `memoryOf`: by the plugin's place. */
export function withDocuments(spider: Spider, plugins: readonly Plugin[], memoryOf: (index: number) => unknown): Spider {
  const handlers: Record<string, Spider['handlers'][string]> = { ...spider.handlers }
  for (const [index, plugin] of plugins.entries())
    for (const [key, handler] of Object.entries(plugin.handlers ?? {}))
      handlers[documentName(plugin.name, key)] = (page) => handler.handle(page, memoryOf(index))
  return { ...spider, handlers }
}

/** The same result, unless there are items in it and the document has no records: then its handler failed. */
export function withoutItems(
  result: HandlerResult,
  handler: string,
  { records = false }: Pick<DocumentHandler, 'records'>,
): HandlerResult {
  if (result.kind === 'failed' || result.items.length === 0 || records) return result
  const message = `expected handler ${handler} of a plugin to yield links, got an item; items are for handlers of the spider`
  return { kind: 'failed', failure: failure('AVO_HANDLER_YIELD_INVALID', message, { phase: 'handler', sent: true }) }
}

/** What is to be said of a document that lists more than its host may add. */
export function listedTooMuch(url: string, hostKey: string, { maxListedUrlsPerHost: most }: DiscoveryLimits): string {
  return `${url} lists more new URLs than documents of ${hostKey} may add (${most}): the others are left out; raise discoveryLimits.maxListedUrlsPerHost`
}
