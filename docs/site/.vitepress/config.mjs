import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { sidebarOf } from '../src/contents.mjs'
import { search } from '../src/search-options.mjs'
import { slugOf } from '../src/slug.mjs'

const sections = JSON.parse(readFileSync(new URL('../dist/sections.json', import.meta.url), 'utf8'))
const inDist = (name) => fileURLToPath(new URL(`../dist/${name}`, import.meta.url))

// A key, as a drawing in the address: a browser asks for no file of it.
const icon =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16' fill='none' stroke='%230e716c' stroke-width='2'>" +
  "<circle cx='5' cy='8' r='3'/><path d='M8 8h7v3M12 8v2'/></svg>"

export default {
  title: 'Latchkey',
  description: 'Authentication and authorization for GraphQL services in TypeScript',
  lang: 'en',
  head: [['link', { rel: 'icon', href: icon }]],
  base: process.env.SITE_BASE ?? '/',
  srcDir: 'dist/pages',
  outDir: inDist('html'),
  cacheDir: inDist('cache'),
  cleanUrls: true,
  lastUpdated: false,
  // Addresses of a service on the reader's machine. Any other link that leads nowhere ends the build.
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    html: false,
    anchor: { slugify: slugOf },
    theme: { light: 'github-light', dark: 'github-dark' },
    languageAlias: { text: 'txt' },
  },
  // Everything that the browser loads is served by the site itself; pages are not split into more requests than needed.
  vite: { build: { chunkSizeWarningLimit: 10_000 } },
  themeConfig: {
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Guides', link: '/contents#guides' },
      { text: 'Contents', link: '/contents' },
      { text: 'Security', link: '/security' },
    ],
    sidebar: sidebarOf(sections),
    outline: { level: [2, 3], label: 'On this page' },
    search,
    docFooter: { prev: 'Before', next: 'Next' },
    externalLinkIcon: false,
  },
}
