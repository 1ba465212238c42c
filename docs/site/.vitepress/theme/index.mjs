// The theme without the fonts that it would bring: text is in those of the reader's system.
import theme from 'vitepress/theme-without-fonts'
import './style.css'

export default { extends: theme }
