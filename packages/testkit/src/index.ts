// The one door of this package.
export {}
