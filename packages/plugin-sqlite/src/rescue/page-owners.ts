// To which table or index each page belongs, as far as the trees can be walked; and which pages are free, for what stands on those is of the past.
//
// Where the page of the schema is damaged, the trees begin where they do in a store of this version. That is a guess that does no harm: a row
// that does not look like one of its table is never taken for one (row-shapes.ts).
import { PAGE_BYTES, type PageFile } from './page-file.ts'
import { rowsOfPage } from './page-cells.ts'

/** By name of a table or an index: the page at which its tree begins. */
export type Roots = Readonly<Record<string, number>>

/** Whose pages are whose. */
export class PageOwners {
  readonly #names: string[] = ['']
  /** By page: an index into the names; 0 = nobody's. */
  readonly #owners: Uint16Array
  readonly #free: Uint8Array

  /** `usual`: where trees begin if the schema cannot be read. */
  constructor(file: PageFile, usual: Roots) {
    this.#owners = new Uint16Array(file.count + 1)
    this.#free = new Uint8Array(file.count + 1)
    this.#walk(file, 'sqlite_schema', 1)
    const roots = { ...usual, ...this.#rootsIn(file) }
    for (const [name, root] of Object.entries(roots)) this.#walk(file, name, root)
    this.#walkFree(file)
  }

  /** The table or index that `page` belongs to; undefined when no tree leads to it. */
  of(page: number): string | undefined {
    return this.#names[this.#owners[page] ?? 0] || undefined
  }

  /** Whether nothing on it is in use. */
  isFree(page: number): boolean {
    return this.#free[page] === 1 && this.#owners[page] === 0
  }

  #rootsIn(file: PageFile): Roots {
    const roots: Record<string, number> = {}
    for (let page = 1; page <= file.count; page++) {
      if (this.of(page) !== 'sqlite_schema') continue
      for (const { values } of rowsOfPage(file, page)?.rows ?? []) {
        const [, name, , root] = values
        if (typeof name === 'string' && typeof root === 'number') roots[name] = root
      }
    }
    return roots
  }

  /** Each page once, so that a tree that bites its tail ends. */
  #walk(file: PageFile, name: string, root: number): void {
    const owner = this.#names.push(name) - 1
    const next = [root]
    for (let page = next.pop(); page !== undefined; page = next.pop()) {
      if (page < 1 || page > file.count || this.#owners[page] !== 0) continue
      this.#owners[page] = owner
      next.push(...(rowsOfPage(file, page, true)?.children ?? []))
    }
  }

  /** Trunks of the free list, each with its leaves (sqlite.org/fileformat2.html §1.5). */
  #walkFree(file: PageFile): void {
    let trunk = file.page(1).readUInt32BE(32)
    while (trunk >= 2 && trunk <= file.count && this.#free[trunk] === 0) {
      const page = file.page(trunk)
      this.#free[trunk] = 1
      const leaves = Math.min(page.readUInt32BE(4), PAGE_BYTES / 4 - 2)
      for (let index = 0; index < leaves; index++) {
        const leaf = page.readUInt32BE(8 + 4 * index)
        if (leaf >= 2 && leaf <= file.count) this.#free[leaf] = 1
      }
      trunk = page.readUInt32BE(0)
    }
  }
}
