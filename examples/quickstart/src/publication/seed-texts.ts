/** The texts of the example's first articles and comments. */
export const seedArticles: readonly { readonly title: string; readonly body: string }[] = [
  {
    title: 'The otters of the lower river',
    body: 'At first light the lower river belongs to the otters. They come down from the alders in single file, slip under the bridge without a sound and leave a line of bubbles that the heron follows with one eye.',
  },
  {
    title: 'A lighthouse with two keepers',
    body: 'The lighthouse on the north cape has had two keepers since the storm of 1911. One winds the clock and one trims the lamp, and each of them signs for what the other has done.',
  },
  {
    title: 'How the library lends umbrellas',
    body: 'Our library lends umbrellas to anyone with a card. In nine years it has lost eleven, all of them returned later by people who had meant to bring them back and were ashamed of the delay.',
  },
  {
    title: 'Bread that keeps for a week',
    body: 'A loaf with a third of rye keeps for a week in a linen bag. The crust softens on the second day and returns under the grill on the fifth.',
  },
  {
    title: 'Notes on an unfinished map',
    body: 'The map of the eastern marsh is unfinished on purpose. Its makers stopped where the reeds begin, because the channels move every spring and a wrong line is worse than none.',
  },
  {
    title: 'The clock that runs backwards',
    body: 'The town hall has a clock that runs backwards, a present from a mirror maker who wanted to read the time while shaving. Visitors learn to trust it within a day.',
  },
  {
    title: 'Counting swifts in the evening',
    body: 'To count swifts, stand with your back to the sun and count the shadows on the school wall. Divide by two if the wall is white, because each bird is seen twice.',
  },
  {
    title: 'The post boat and its passengers',
    body: 'The post boat carries letters, eggs and, on market days, people. The fare is a story, told loud enough for the helmsman to hear over the engine.',
  },
  {
    title: 'Learning to repair a fence',
    body: 'A fence is repaired from the far end. Begin where nobody looks, so that the part by the gate is built with everything the far end taught you.',
  },
  {
    title: 'A draft about the harbour crane',
    body: 'The harbour crane will be painted again next year. Nobody agrees on the colour, and this text waits until somebody does.',
  },
  {
    title: 'Three ways to cross the moor',
    body: "The first way is the road. The second follows the drovers' stones and takes an hour longer. The third is to wait for the fog to lift, which takes as long as it takes.",
  },
  {
    title: 'The seed shop on Mill Lane',
    body: 'The seed shop on Mill Lane sells by the spoon. The spoon is older than the shop, and the price has been the same since both of them met.',
  },
  {
    title: 'What the night train carries',
    body: 'The night train carries cut flowers, newspapers from tomorrow and a single dining car in which breakfast begins at three.',
  },
  {
    title: 'An orchard of forgotten pears',
    body: 'Forty kinds of pear grow behind the chapel, and eleven of them have no name. They are numbered in chalk, and the rain renumbers them.',
  },
  {
    title: "The bell founder's apprentice",
    body: 'The apprentice listens for a year before she is allowed to speak about a bell. By then she no longer needs to ask which of two is the better one.',
  },
  {
    title: 'Rain gauges and their readers',
    body: 'Every morning at seven, sixteen people on the plateau read their rain gauges. Fifteen of them write down what they see, and one writes down what she hoped for, in pencil.',
  },
  {
    title: 'Why the ferry leaves early',
    body: 'The ferry leaves four minutes early, and everybody knows it. The timetable is kept as it is for the sake of visitors, who would otherwise be four minutes late.',
  },
  {
    title: 'Keeping bees on a school roof',
    body: 'The bees on the school roof ignore the bell. Their honey tastes of lime trees in June and of the bakery in August.',
  },
  {
    title: 'The second life of a quarry',
    body: 'Since the pumps stopped, the quarry has been a lake. Divers report stairs, a lamp post and a sign that forbids swimming.',
  },
  {
    title: 'A draft on winter paths',
    body: 'In winter the paths of the village are decided by the first person who walks them. This text will be finished when the snow is.',
  },
]

export const seedComments: readonly string[] = [
  'I walked there last week, and it is just as you say.',
  'My grandmother told this differently, and I believe you both.',
  'Thank you for writing this down before it was forgotten.',
  'The part about the second day made me laugh.',
  'Is there a picture of it somewhere?',
  'I disagree with the ending, but I read it twice.',
  'This belongs on the wall of the school.',
  'We tried it at home, and it worked on the third attempt.',
  'You left out the best part: the smell.',
  'A small correction: it was a Tuesday.',
  'More of this, please.',
  'I had no idea, and I have lived here for thirty years.',
  'The map is wrong, but the text is right.',
  'Read aloud at dinner, with success.',
  'Somebody should tell the ferry company.',
]
