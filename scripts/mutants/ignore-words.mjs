// A plugin of Stryker: what is not worth a mutant, and why. Everything else is changed, texts of SQL, Lua, keys and
// purposes included.

const reasons = [
  ['words for a developer: tests hold the option that they name and the code, not each sentence', isMessage],
  ['a table of names: `checkOptionNames` reads its keys alone', isOptionName],
]

export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'words',
    value: { shouldIgnore: (path) => reasons.find(([, applies]) => applies(path))?.[0] },
  },
]

/** Functions of ours that make an error of a sentence. */
const makers = /Error$|^(unavailable|invalid|failAll)$/

/** A text with a space in it that becomes the message of an error. A code has none, and is changed. */
function isMessage({ node, parent }) {
  const isGiven = /^(New|Call)Expression$/.test(parent?.type ?? '') && makers.test(parent.callee.name ?? '')
  return isGiven && textsOf(node).some((text) => text.includes(' '))
}

function textsOf(node) {
  if (node.type === 'StringLiteral') return [node.value]
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.raw)
  if (node.type === 'BinaryExpression') return [...textsOf(node.left), ...textsOf(node.right)]
  return node.type === 'ConditionalExpression' ? [...textsOf(node.consequent), ...textsOf(node.alternate)] : []
}

/** `true` as a member of `optionNames`, or of what is written in the call itself. */
function isOptionName(path) {
  if (path.node.type !== 'BooleanLiteral' || path.parent?.type !== 'ObjectProperty') return false
  let { parentPath: place } = path.parentPath
  while (place && /^(TSAsExpression|TSSatisfiesExpression|ObjectExpression)$/.test(place.node.type)) {
    place = place.parentPath
  }
  const called = place?.node.type === 'CallExpression' ? place.node.callee.name : ''
  const named = place?.node.type === 'VariableDeclarator' ? place.node.id.name : ''
  return called === 'checkOptionNames' || /^(names|optionNames|\w+OptionNames)$/.test(named ?? '')
}
