// Which form a field belongs to by the order of the text, where the tree does not show it: a form whose tag is in a table has no content in the tree.
//
// Source: HTML standard §13.2.6.1 (create an element for a token: the form element pointer).

const owners = new WeakMap<object, object>()

/** `field` was parsed while `form` was open. */
export function noteFormOwner(field: object, form: object): void {
  owners.set(field, form)
}

/** The form that was open when `field` was parsed; undefined where none was, or the parser does not say. */
export function formOwnerOf(field: object): object | undefined {
  return owners.get(field)
}
