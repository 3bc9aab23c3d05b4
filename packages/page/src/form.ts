// A form of a page, as a handler fills it in: the port, implemented by `@avocet/page`.
import type { Link, LinkOptions } from '@avocet/core'

/** What a field is filled in with: its text, the value of an option, several of these, or whether a box is checked. */
export type FormValue = string | number | boolean | readonly (string | number)[]

/** How a form is submitted: the options of the link, without those that the form decides, and the button. */
export interface SubmitOptions<Name extends string = string, Data = unknown> extends Omit<
  LinkOptions<Name, Data>,
  'method' | 'body'
> {
  /** Name, value or text of the button that is pressed. Default: the first one, as when you press Enter. */
  readonly button?: string
}

/**
 * A form. Nothing changes it: `fill` gives another one. It is submitted as browsers do: with hidden fields, checked boxes, chosen options and the default
 * button; without disabled fields; in the method, encoding and charset of the form.
 *
 * @example
 * ```ts
 * // search-form.ts
 * import { recordedPage } from '@avocet/simulator'
 *
 * const page = recordedPage({
 *   url: 'https://shop.example/',
 *   body: '<form id="login" action="/login" method="post"><input name="token" value="t1"><input name="user"><button name="go">Go</button></form>',
 * })
 * const { url, options } = page.form('#login').fill({ user: 'ann' }).submit()
 * url // 'https://shop.example/login'
 * options.method // 'POST'
 * options.body // 'token=t1&user=ann&go='
 * ```
 * Source: HTML standard §4.10.21.3 (submission) and §4.10.21.4 (which fields).
 */
export interface Form {
  /** Names of its fields, in their order, buttons left out. */
  readonly names: readonly string[]
  /**
   * The same form with these values. A field that is filled in counts as enabled.
   *
   * @throws AVO_HANDLER_FORM for a name that the form does not have, and a value that its field cannot take.
   */
  fill(values: Readonly<Record<string, FormValue>>): Form
  /**
   * The request of the form, to be yielded.
   *
   * @throws AVO_HANDLER_FORM where it has no such button, or leads to what is no http(s) URL.
   */
  submit<const Name extends string = 'start', const Data = undefined>(
    options?: SubmitOptions<Name, Data>,
  ): Link<NoInfer<Name>, NoInfer<Data>>
}
