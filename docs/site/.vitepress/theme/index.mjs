import './style.css'

// The theme without the fonts that it would bring: text is in those of the reader's system.
export { default } from 'vitepress/theme-without-fonts'
