// What the file that `avocet report --html` writes shows, view by view.
import { inflateRawSync } from 'node:zlib'

/** The parts of each view, by its name. */
export function fileContent(html: string): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const [, packed = ''] = /<script type="text\/plain" id="file">([^<]*)</.exec(html) ?? []
  return (JSON.parse(inflateRawSync(Buffer.from(packed, 'base64')).toString()) as { views: ReturnType<typeof fileContent> }).views
}
