import type { OrdinaryDocument } from './ordinary-document.ts'

export const storefrontSchema = `
  type Money { amount: Float!, currency: String! }
  type TaxedMoney { gross: Money!, net: Money!, tax: Money! }
  type TaxedMoneyRange { start: TaxedMoney, stop: TaxedMoney }
  type Pricing { onSale: Boolean, discount: TaxedMoney, priceRange: TaxedMoneyRange, priceRangeUndiscounted: TaxedMoneyRange }
  type VariantPricing { price: TaxedMoney, priceUndiscounted: TaxedMoney, discount: TaxedMoney }
  type Image { url: String!, alt: String }
  type Media { id: ID!, url(size: Int): String!, alt: String!, type: String! }
  type Value { id: ID!, name: String, slug: String, value: String, richText: String }
  type Property { id: ID!, name: String, slug: String, type: String, unit: String }
  type SelectedProperty { attribute: Property!, values: [Value!]! }
  type Category { id: ID!, name: String!, slug: String!, parent: Category, ancestors(first: Int): CategoryConnection }
  type CategoryEdge { node: Category! }
  type CategoryConnection { edges: [CategoryEdge!]! }
  type Collection { id: ID!, name: String!, slug: String! }
  type Page { id: ID!, title: String!, slug: String! }
  type Variant {
    id: ID!, name: String!, sku: String, quantityAvailable: Int, quantityLimitPerCustomer: Int, pricing: VariantPricing
    attributes: [SelectedProperty!]!, media: [Media!], product: Product!, weight: Weight
  }
  type Weight { unit: String!, value: Float! }
  type Product {
    id: ID!, name: String!, slug: String!, description: String, seoTitle: String, seoDescription: String, rating: Float
    isAvailable: Boolean, thumbnail(size: Int, format: String): Image, media: [Media!], category: Category
    collections: [Collection!], attributes: [SelectedProperty!]!, variants: [Variant!], pricing: Pricing
    productType: ProductType!
  }
  type ProductType { id: ID!, name: String!, isShippingRequired: Boolean!, hasVariants: Boolean! }
  type PageInfo { hasNextPage: Boolean!, endCursor: String, hasPreviousPage: Boolean!, startCursor: String }
  type ProductEdge { cursor: String!, node: Product! }
  type ProductConnection { totalCount: Int, edges: [ProductEdge!]!, pageInfo: PageInfo! }
  type MenuItem { id: ID!, name: String!, level: Int!, url: String, category: Category, collection: Collection, page: Page, children: [MenuItem!] }
  type Menu { id: ID!, name: String!, items: [MenuItem!] }
  type Country { code: String!, country: String! }
  type Address {
    id: ID!, firstName: String!, lastName: String!, companyName: String!, streetAddress1: String!, streetAddress2: String!
    city: String!, cityArea: String!, postalCode: String!, countryArea: String!, phone: String, country: Country!
    isDefaultShippingAddress: Boolean, isDefaultBillingAddress: Boolean
  }
  type Method {
    id: ID!, name: String!, description: String, active: Boolean!, message: String, price: Money!
    minimumDeliveryDays: Int, maximumDeliveryDays: Int
  }
  type ConfigItem { field: String!, value: String }
  type Gateway { id: ID!, name: String!, currencies: [String!]!, config: [ConfigItem!]! }
  type GiftCard { id: ID!, last4CodeChars: String!, currentBalance: Money! }
  type CheckoutLine {
    id: ID!, quantity: Int!, isGift: Boolean, requiresShipping: Boolean!, totalPrice: TaxedMoney!, unitPrice: TaxedMoney!
    undiscountedTotalPrice: Money!, undiscountedUnitPrice: Money!, variant: Variant!
  }
  type User { id: ID!, email: String!, firstName: String!, addresses: [Address!]! }
  type Checkout {
    id: ID!, email: String, token: String!, note: String!, isShippingRequired: Boolean!, discountName: String
    voucherCode: String, discount: Money, user: User, shippingAddress: Address, billingAddress: Address
    authorizeStatus: String!, chargeStatus: String!, shippingMethods: [Method!]!, deliveryMethod: Method
    availablePaymentGateways: [Gateway!]!, giftCards: [GiftCard!]!, lines: [CheckoutLine!]!, totalPrice: TaxedMoney!
    subtotalPrice: TaxedMoney!, shippingPrice: TaxedMoney!, totalBalance: Money!
  }
  type Event { id: ID!, date: String, type: String, message: String, quantity: Int, amount: Float, email: String, user: User, lines: [EventLine!] }
  type EventLine { quantity: Int, itemName: String, orderLine: OrderLine }
  type OrderLine {
    id: ID!, productName: String!, productSku: String, quantity: Int!, quantityFulfilled: Int!, quantityToFulfill: Int!
    thumbnail(size: Int): Image, unitPrice: TaxedMoney!, totalPrice: TaxedMoney!, undiscountedUnitPrice: TaxedMoney!
    unitDiscount: Money!, variant: Variant, isShippingRequired: Boolean!, taxRate: Float!
  }
  type FulfillmentLine { id: ID!, quantity: Int!, orderLine: OrderLine }
  type Warehouse { id: ID!, name: String! }
  type Fulfillment { id: ID!, status: String!, trackingNumber: String!, fulfillmentOrder: Int!, warehouse: Warehouse, lines: [FulfillmentLine!] }
  type Payment { id: ID!, gateway: String!, status: String!, total: Money, captured: Money, actions: [String!]! }
  type Invoice { id: ID!, number: String, createdAt: String!, url: String, status: String! }
  type Metadata { key: String!, value: String! }
  type Order {
    id: ID!, number: String!, created: String!, status: String!, paymentStatus: String!, customerNote: String!
    user: User, userEmail: String, billingAddress: Address, shippingAddress: Address, shippingMethods: [Method!]!
    lines: [OrderLine!]!, fulfillments: [Fulfillment!]!, events: [Event!]!, payments: [Payment!]!, invoices: [Invoice!]
    discounts: [OrderDiscount!]!, metadata: [Metadata!]!, privateMetadata: [Metadata!]!, giftCards: [GiftCard!]!
    total: TaxedMoney!, subtotal: TaxedMoney!, shippingPrice: TaxedMoney!, totalCharged: Money!, totalBalance: Money!
    totalAuthorized: Money!, totalRefunded: Money!, actions: [String!]!, isPaid: Boolean!
  }
  type OrderDiscount { id: ID!, type: String!, name: String, reason: String, amount: Money! }
  type Query {
    products(first: Int, after: String, channel: String, filter: Filter, sortBy: Sort): ProductConnection
    product(slug: String, channel: String): Product, menu(slug: String, channel: String): Menu
    checkout(id: ID): Checkout, order(id: ID): Order
  }
  input Sort { field: String!, direction: String! }
  input Filter { search: String, categories: [ID!], price: Range, attributes: [AttributeFilter!], isAvailable: Boolean }
  input Range { gte: Float, lte: Float }
  input AttributeFilter { slug: String!, values: [String!] }
`

const money = 'fragment Money on Money { amount currency }'
const taxed = 'fragment Taxed on TaxedMoney { gross { ...Money } net { ...Money } tax { ...Money } }'
const address = `fragment Address on Address {
  id firstName lastName companyName streetAddress1 streetAddress2 city cityArea postalCode countryArea phone
  country { code country }
}`
const property = `fragment Property on SelectedProperty {
  attribute { id name slug type unit } values { id name slug value richText }
}`
const item = `fragment Item on MenuItem {
  id name level url category { id name slug } collection { id name slug } page { id title slug }
}`
const line = `fragment Line on OrderLine {
  id productName productSku quantity quantityFulfilled quantityToFulfill isShippingRequired taxRate
  thumbnail(size: 64) { url } unitPrice { ...Taxed } totalPrice { ...Taxed } undiscountedUnitPrice { ...Taxed }
  unitDiscount { ...Money } variant { id name sku quantityAvailable attributes { ...Property } }
}`
const method = `fragment Method on Method {
  id name description active message price { ...Money } minimumDeliveryDays maximumDeliveryDays
}`

export const storefrontDocuments: readonly OrdinaryDocument[] = [
  {
    what: 'a list of products with filters and three sizes of images',
    query: `query Products($first: Int!, $after: String, $channel: String!, $filter: Filter, $sort: Sort) {
      products(first: $first, after: $after, channel: $channel, filter: $filter, sortBy: $sort) {
        totalCount pageInfo { hasNextPage endCursor }
        edges { cursor node {
          id name slug rating isAvailable category { id name slug }
          small: thumbnail(size: 128, format: "WEBP") { url alt }
          medium: thumbnail(size: 512, format: "WEBP") { url alt }
          large: thumbnail(size: 1024, format: "WEBP") { url alt }
          pricing { onSale
            priceRange { start { ...Taxed } stop { ...Taxed } }
            priceRangeUndiscounted { start { ...Taxed } stop { ...Taxed } } }
        } }
      }
    } ${taxed} ${money}`,
    variables: {
      first: 100,
      channel: 'web',
      filter: { attributes: [{ slug: 'size', values: ['s'] }], price: { gte: 1 } },
    },
  },
  {
    what: 'a product with its variants and their attributes',
    query: `query Product($slug: String!, $channel: String!) { product(slug: $slug, channel: $channel) {
      id name slug description seoTitle seoDescription rating isAvailable
      productType { id name isShippingRequired hasVariants }
      category { id name slug ancestors(first: 5) { edges { node { id name slug } } } }
      collections { id name slug } media { id url(size: 1024) alt type } attributes { ...Property }
      pricing { onSale discount { ...Taxed } priceRange { start { ...Taxed } stop { ...Taxed } } }
      variants {
        id name sku quantityAvailable quantityLimitPerCustomer weight { unit value } media { id url alt type }
        attributes { ...Property }
        pricing { price { ...Taxed } priceUndiscounted { ...Taxed } discount { ...Taxed } }
      }
    } } ${property} ${taxed} ${money}`,
    variables: { slug: 'shirt', channel: 'web' },
  },
  {
    what: 'a menu of three levels',
    query: `query Menu($slug: String!) { menu(slug: $slug) { id name
      items { ...Item children { ...Item children { ...Item } } }
    } } ${item}`,
    variables: { slug: 'main' },
  },
  {
    what: 'a checkout with all that its page shows',
    query: `query Checkout($id: ID!, $signedIn: Boolean!) { checkout(id: $id) {
      id email token note isShippingRequired discountName voucherCode authorizeStatus chargeStatus
      discount { ...Money } totalBalance { ...Money }
      totalPrice { ...Taxed } subtotalPrice { ...Taxed } shippingPrice { ...Taxed }
      user @include(if: $signedIn) {
        id email firstName addresses { ...Address isDefaultShippingAddress isDefaultBillingAddress }
      }
      shippingAddress { ...Address } billingAddress { ...Address }
      shippingMethods { ...Method } deliveryMethod { ...Method }
      availablePaymentGateways { id name currencies config { field value } }
      giftCards { id last4CodeChars currentBalance { ...Money } }
      lines {
        id quantity isGift requiresShipping totalPrice { ...Taxed } unitPrice { ...Taxed }
        undiscountedTotalPrice { ...Money } undiscountedUnitPrice { ...Money }
        variant {
          id name sku attributes { ...Property } media { id url(size: 72) alt type }
          product { id name slug thumbnail(size: 72) { url alt } productType { id name isShippingRequired } }
        }
      }
    } } ${property} ${method} ${address} ${taxed} ${money}`,
    variables: { id: '1', signedIn: true },
  },
  {
    what: 'an order with its fulfillments, events and payments, in a back office',
    query: `query Order($id: ID!) { order(id: $id) {
      id number created status paymentStatus customerNote userEmail isPaid actions
      user { id email firstName addresses { ...Address } }
      billingAddress { ...Address } shippingAddress { ...Address } shippingMethods { ...Method }
      lines { ...Line }
      fulfillments {
        id status trackingNumber fulfillmentOrder warehouse { id name } lines { id quantity orderLine { ...Line } }
      }
      events {
        id date type message quantity amount email user { id email firstName }
        lines { quantity itemName orderLine { id productName } }
      }
      payments { id gateway status actions total { ...Money } captured { ...Money } }
      invoices { id number createdAt url status }
      discounts { id type name reason amount { ...Money } }
      giftCards { id last4CodeChars currentBalance { ...Money } }
      metadata { key value } privateMetadata { key value }
      total { ...Taxed } subtotal { ...Taxed } shippingPrice { ...Taxed }
      totalCharged { ...Money } totalBalance { ...Money } totalAuthorized { ...Money } totalRefunded { ...Money }
    } } ${line} ${property} ${method} ${address} ${taxed} ${money}`,
    variables: { id: '1' },
  },
]
