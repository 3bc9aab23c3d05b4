// The default theme with the fonts of the system: pages request nothing from other hosts, and less from their own.
import theme from 'vitepress/theme-without-fonts'
// oxlint-disable-next-line import/no-unassigned-import
import './style.css'

export default theme
