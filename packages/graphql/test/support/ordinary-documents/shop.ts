import type { OrdinaryDocument } from './ordinary-document.ts'

export const shopSchema = `
  type Money { amount: String!, currencyCode: String! }
  type Image { id: ID, url(width: Int, height: Int): String!, altText: String, width: Int, height: Int }
  type Choice { name: String!, value: String! }
  type Option { id: ID!, name: String!, values: [String!]! }
  type Seo { title: String, description: String }
  type Metafield { key: String!, value: String!, type: String! }
  type PageInfo { hasNextPage: Boolean!, hasPreviousPage: Boolean!, startCursor: String, endCursor: String }
  type PriceRange { minVariantPrice: Money!, maxVariantPrice: Money! }
  type Variant {
    id: ID!, title: String!, sku: String, availableForSale: Boolean!, quantityAvailable: Int, barcode: String
    selectedOptions: [Choice!]!, price: Money!, compareAtPrice: Money, unitPrice: Money, image: Image, product: Product!
  }
  type VariantConnection { nodes: [Variant!]!, pageInfo: PageInfo! }
  type ImageConnection { nodes: [Image!]! }
  type Product {
    id: ID!, handle: String!, title: String!, vendor: String!, description: String!, descriptionHtml: String!
    publishedAt: String!, tags: [String!]!, options(first: Int): [Option!]!, seo: Seo!, featuredImage: Image
    images(first: Int): ImageConnection!, priceRange: PriceRange!, compareAtPriceRange: PriceRange!
    variants(first: Int): VariantConnection!, metafields(keys: [String!]!): [Metafield]!
  }
  type ProductConnection { nodes: [Product!]!, pageInfo: PageInfo! }
  type Collection {
    id: ID!, handle: String!, title: String!, description: String!, image: Image, seo: Seo!
    products(first: Int, after: String, sortKey: String, reverse: Boolean): ProductConnection!
  }
  type CollectionConnection { nodes: [Collection!]!, pageInfo: PageInfo! }
  type Attribute { key: String!, value: String }
  type LineCost { amountPerQuantity: Money!, compareAtAmountPerQuantity: Money, totalAmount: Money! }
  union Merchandise = Variant
  type CartLine { id: ID!, quantity: Int!, attributes: [Attribute!]!, cost: LineCost!, merchandise: Merchandise! }
  type CartLineConnection { nodes: [CartLine!]! }
  type CartCost { subtotalAmount: Money!, totalAmount: Money!, totalTaxAmount: Money, totalDutyAmount: Money }
  type DiscountCode { code: String!, applicable: Boolean! }
  type Cart {
    id: ID!, checkoutUrl: String!, totalQuantity: Int!, note: String, attributes: [Attribute!]!, cost: CartCost!
    discountCodes: [DiscountCode!]!, lines(first: Int): CartLineConnection!
  }
  type MetafieldResult { field: Metafield, messages: [String!]! }
  type Query {
    product(handle: String!): Product, productRecommendations(productId: ID!): [Product!]
    collection(handle: String!): Collection, collections(first: Int): CollectionConnection!, cart(id: ID!): Cart
  }
  type Mutation { setMetafield(owner: ID!, key: String!, value: String!): MetafieldResult! }
`

const money = 'fragment Money on Money { amount currencyCode }'
const image = 'fragment Image on Image { id url(width: 800) altText width height }'
const card = `fragment Card on Product {
  id handle title vendor featuredImage { ...Image }
  priceRange { minVariantPrice { ...Money } maxVariantPrice { ...Money } }
  variants(first: 1) { nodes { id availableForSale selectedOptions { name value } } }
}`
const variant = `fragment Variant on Variant {
  id title sku availableForSale quantityAvailable
  selectedOptions { name value }
  price { ...Money } compareAtPrice { ...Money } unitPrice { ...Money }
  image { ...Image } product { title handle }
}`

export const shopDocuments: readonly OrdinaryDocument[] = [
  {
    what: 'a product page with 100 variants and its recommendations',
    query: `query ProductPage($handle: String!, $id: ID!) {
      product(handle: $handle) {
        id handle title vendor description descriptionHtml tags publishedAt
        options(first: 5) { id name values }
        seo { title description }
        images(first: 20) { nodes { ...Image } }
        priceRange { minVariantPrice { ...Money } maxVariantPrice { ...Money } }
        variants(first: 100) { nodes { ...Variant } pageInfo { hasNextPage endCursor } }
        metafields(keys: ["care", "material", "origin"]) { key value type }
      }
      productRecommendations(productId: $id) { ...Card }
    } ${variant} ${card} ${image} ${money}`,
    variables: { handle: 'shirt', id: '1' },
  },
  {
    what: 'three nested connections of 20',
    query: `query Overview {
      collections(first: 20) { nodes {
        id handle title image { ...Image }
        products(first: 20) { nodes {
          id handle title featuredImage { ...Image }
          variants(first: 20) { nodes { id title sku availableForSale price { ...Money } } }
        } }
      } }
    } ${image} ${money}`,
  },
  {
    what: 'a page of a collection, sorted',
    query: `query CollectionPage($handle: String!, $first: Int, $after: String, $sort: String, $reverse: Boolean) {
      collection(handle: $handle) {
        id handle title description seo { title description } image { ...Image }
        products(first: $first, after: $after, sortKey: $sort, reverse: $reverse) {
          nodes { ...Card }
          pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        }
      }
    } ${card} ${image} ${money}`,
    variables: { handle: 'new', first: 48 },
  },
  {
    what: 'a cart of 100 lines',
    query: `query Cart($id: ID!) { cart(id: $id) {
      id checkoutUrl totalQuantity note attributes { key value } discountCodes { code applicable }
      cost { subtotalAmount { ...Money } totalAmount { ...Money } totalTaxAmount { ...Money } totalDutyAmount { ...Money } }
      lines(first: 100) { nodes {
        id quantity attributes { key value }
        cost { amountPerQuantity { ...Money } compareAtAmountPerQuantity { ...Money } totalAmount { ...Money } }
        merchandise { ... on Variant { ...Variant } }
      } }
    } } ${variant} ${image} ${money}`,
    variables: { id: '1' },
  },
  {
    what: 'a mutation that sets six values at once',
    query: `mutation SetAll(${numbers(6, (n) => `$v${n}: String!`)}) {
      ${numbers(6, (n) => `set${n}: setMetafield(owner: "1", key: "k${n}", value: $v${n}) { field { key value } messages }`)}
    }`,
    variables: Object.fromEntries(Array.from({ length: 6 }, (_none, n) => [`v${n}`, 'x'])),
  },
]

function numbers(count: number, write: (index: number) => string): string {
  return Array.from({ length: count }, (_none, index) => write(index)).join(' ')
}
