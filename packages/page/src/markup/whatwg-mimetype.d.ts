// Types of the part of whatwg-mimetype 5 that is used here; it brings none.
declare module 'whatwg-mimetype' {
  export class MIMEType {
    /** Null when `text` is no MIME type. */
    static parse(text: string): MIMEType | null
    /** Type and subtype in lower case, without parameters. */
    readonly essence: string
    readonly parameters: { get(name: string): string | undefined }
  }
  /** The MIME Sniffing Standard's answer for the first bytes of a resource. */
  export function computedMIMEType(resource: Uint8Array, options?: { readonly contentTypeHeader?: string }): MIMEType
}
