// The one door of @avocet/plugin-aimd.
export {}
