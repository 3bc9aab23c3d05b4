// The plugin `journal`.
export {}
