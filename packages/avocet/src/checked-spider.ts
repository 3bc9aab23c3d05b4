// What the compiler checks of a spider: types without values. Each check gives `unknown` when all is well, and otherwise a type that the checked value does
// not fit: a sentence that says what is wrong, for that is what the compiler prints at the handler or the seed.
//
// The names and data of links are read from what handlers return (`Link<Name, Data>`), so nobody has to write them down. A name that is `string`, because
// it is computed or because a handler is declared as `Handler<Item>`, says nothing: it is checked at run time.
import type { Handler, Link, Page, Seed, Spider } from '@avocet/core'

/** A schema of items, as Standard Schema has it, or their key and what of them is watched. */
export type ItemsOption = NonNullable<Spider['items']>
type ItemSchema = Exclude<ItemsOption, { readonly key: string }>

/** The schema in there; undefined: none. */
export type SchemaIn<Items> = Items extends { readonly key: string }
  ? Items extends { readonly schema: infer Schema }
    ? Schema
    : undefined
  : Items

/** Whether the key and the watched fields are fields of the items. */
export type CheckedFields<Items, Item> = Items extends { readonly key: string }
  ? { readonly key: FieldOf<Item>; readonly watch: readonly FieldOf<Item>[] }
  : unknown
// Each member of a union of items has fields of its own.
type FieldOf<Item> = unknown extends Item ? string : Item extends unknown ? keyof Item & string : never

/** Handlers by name. */
export type Handlers<Item = unknown> = Readonly<Record<string, Handler<Item>>>

/** Seeds, or a function that yields them. */
export type Seeds<Start> = readonly Start[] | (() => Iterable<Start> | AsyncIterable<Start>)

/** The items that handlers of type `F` yield. */
export type ItemsOf<F> = Exclude<Yielded<F>, Link>

/** Whether the links of the handler `F` suit the handlers `Handling`, and its items are `Item`s. */
export type Checked<F, Handling, Item> = [LinkProblem<Yielded<F>, Handling> | ItemProblem<ItemsOf<F>>] extends [never]
  ? [ItemsOf<F>] extends [Item]
    ? unknown
    : Handler<Item>
  : LinkProblem<Yielded<F>, Handling> | ItemProblem<ItemsOf<F>>

/** Whether the seeds `Start` suit the handlers `Handling`. */
export type CheckedSeeds<Start, Handling> = [SeedProblem<Start, Handling>] extends [never]
  ? unknown
  : Seeds<Start extends unknown ? SuitingSeed<Start, Handling> : never>

/** What handlers yield: what the schema takes, and without one what they do yield. */
export type YieldedFor<Schema, Inferred> = Schema extends ItemSchema ? TypesOf<Schema>['input'] : Inferred

/** What the items are: what the schema puts out, and without one what handlers yield. */
export type ItemFor<Schema, Yields> = Schema extends ItemSchema ? TypesOf<Schema>['output'] : Yields

type TypesOf<Schema extends ItemSchema> = NonNullable<Schema['~standard']['types']>

type Yielded<F> = F extends (page: never) => infer Returned ? ValueOf<Awaited<Returned>> : never
type ValueOf<Stream> = Stream extends Iterable<infer Value> | AsyncIterable<infer Value> ? Value : never

type LinkProblem<Value, Handling> = Value extends Link<infer Name, infer Data> ? Problem<Name, Data, Handling> : never

/** What is wrong with an item; `never` if nothing is, or if it is `unknown` or `any`, which is checked at run time. */
type ItemProblem<Item> = unknown extends Item ? never : Item extends unknown ? OneItemProblem<Item> : never
type OneItemProblem<Item> = Item extends Iterable<unknown> | AsyncIterable<unknown>
  ? Item extends string
    ? 'a text is no item: to follow a URL, write yield link(url)'
    : 'write yield* in front of several items or links, as in yield* page.links()'
  : Item extends PromiseLike<unknown>
    ? 'write yield await in front of a promise'
    : Item extends object
      ? [Item] extends [ItemShape<Item>]
        ? never
        : `an item must be JSON: write ${Quoted<FlawedKey<Item>>} as text, a number, a list or an object of these`
      : never
type FlawedKey<Item> = { [Key in keyof Item]-?: [Item[Key]] extends [ItemShape<Item[Key]>] ? never : Key }[keyof Item]

type SuitingSeed<Start, Handling> = [SeedProblem<Start, Handling>] extends [never] ? Start : SeedProblem<Start, Handling>
type SeedProblem<Start, Handling> = Start extends string
  ? Problem<'start', undefined, Handling>
  : Start extends unknown
    ? [Exclude<keyof Start, keyof Seed>] extends [never]
      ? Problem<Member<Start, 'handler', 'start'>, Member<Start, 'data', undefined>, Handling>
      : `a seed has no ${Quoted<Exclude<keyof Start, keyof Seed>>}`
    : never
type Member<Start, Key extends string, Absent> = Key extends keyof Start
  ? undefined extends Start[Key]
    ? Exclude<Start[Key], undefined> | Absent
    : Start[Key]
  : Absent

/** Why a request for the handler `Name` with `Data` does not suit the handlers `Handling`; `never` if it does. The names that it has are listed, as a union. */
type Problem<Name, Data, Handling> = string extends Name
  ? never
  : Name extends keyof Handling
    ? [Data] extends [ReadonlyData<DataOf<Handling[Name]>>]
      ? DataProblem<Data>
      : [Data] extends [undefined]
        ? `the handler ${Quoted<Name>} needs data`
        : `the handler ${Quoted<Name>} takes other data`
    : [`the spider has no handler ${Quoted<Name>}; it has`, keyof Handling]

/** What is wrong with data; `never` if nothing is, or if it is `unknown` or `any`, which is checked when the link is made. */
type DataProblem<Data> = unknown extends Data
  ? never
  : [Data] extends [ItemShape<Data>]
    ? never
    : Data extends object
      ? `data must be JSON: write ${Quoted<FlawedKey<Data>>} as text, a number, a list or an object of these`
      : 'data must be JSON: a text, a number, a list or an object of these'

type DataOf<F> = F extends (page: Page<infer Data>) => unknown ? Data : unknown

/** Data is written down and read back: a list that is passed on may be read-only. */
type ReadonlyData<Data> = Data extends object ? { readonly [K in keyof Data]: ReadonlyData<Data[K]> } : Data

type Quoted<Name> = `'${Name & string}'`

/** `T` if it is made of JSON only, as far as its members are known: others are checked when it is yielded. */
type ItemShape<T> = unknown extends T
  ? T
  : T extends null | undefined | boolean | number | string
    ? T
    : T extends ((...args: never[]) => unknown) | symbol | bigint | Date | URL | Map<unknown, unknown> | Set<unknown>
      ? never
      : { [K in keyof T]: ItemShape<T[K]> }
