// How the search reads words and weighs pages. VitePress sends these functions to the browser as text: each stands alone.

/** A word without its ending, so that “rotating” finds “rotate”; null for a word without meaning, like “the”. */
function processTerm(term) {
  const word = term.toLowerCase()
  const empty =
    /^(a|an|and|are|as|at|be|by|can|do|for|from|has|how|i|in|is|it|its|must|my|of|on|or|that|the|their|this|to|what|where|which|with|you|your)$/
  if (empty.test(word)) return null
  const stem = word.replace(/(ing|ed|es|s|e)$/, '').replace(/(es|e)$/, '')
  return stem.length < 3 ? word : stem
}

/** Ranks guides and the server first, then guides about moves, and the reference before decisions and measurements. */
function boostDocument(id) {
  if (/^\/guides\/moving-/.test(id)) return 1
  if (/^\/(guides|server)\//.test(id)) return 1.6
  if (/^\/reference\/(options|error-codes|command-line)/.test(id)) return 1.2
  if (/^\/(reference|decisions|benchmarks|overload|security|ways-of|contributing)/.test(id)) return 0.4
  return 1
}

/** `_render` of VitePress: the text that is indexed. The code of the reference is omitted: it would outrank all texts. */
function searched(markdown, environment, renderer) {
  const { relativePath, frontmatter } = environment
  if (frontmatter?.search === false || relativePath === 'contents.md') return ''
  const text = relativePath.startsWith('reference/') ? markdown.replace(/^```[\s\S]*?^```$/gm, '') : markdown
  return renderer.render(text, environment)
}

export const search = {
  provider: 'local',
  options: {
    _render: searched,
    miniSearch: {
      options: { processTerm },
      searchOptions: { boostDocument, fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 2 } },
    },
  },
}
