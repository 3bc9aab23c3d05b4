// The one door of @avocet/preset-polite.
export {}
