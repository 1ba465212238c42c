/**
 * What people choose most, in lower case and without the digits and signs that they put around it: those are taken off
 * before a password is looked up. Written down for this package from general knowledge, not copied from a leak. With
 * the digits, signs, capitals and replaced letters that are seen through, each entry stands for thousands.
 */
export const commonPasswords: string = `
000000 00000000 007007 0123456789 0987654321 100200 100200300 101010 102030 10203040 1020304050 110110 111111 11111111
112233 11223344 1122334455 121212 123123 123123123 123321 12341234 123454321 123456 1234567 12345678 123456789
1234567890 12345678910 123abc 123asd 123qwe 131313 131421 1314520 141414 147147 147258 147258369 147852 147896325
151515 159159 159357 159753 171717 181818 191919 1a2b3c 1a2b3c4d 1q2w3e 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx
1qaz2wsx3edc 202020 212121 222222 232323 242424 252525 258456 2pac 2wsx3edc 321654 321654987 333333 369258147 444444
456456 456789 5201314 520520 555555 654321 666666 696969 741852 741852963 7654321 777777 7777777 789456 789456123
87654321 888888 88888888 951753 963852741 987654 987654321 9876543210 999999 a123456 a12345678 a123456789 a1b2c
a1b2c3d a1b2c3d4e aa123456 aaa aaaaaa aaaaaaa aaaaaaaa abc abcabc abcd abcdabcd abcde abcdef abcdefg abcdefgh
abcdefghi abcdefghij abcdefghijklmnop abcdefghijklmnopqrstuvwxyz abcxyz abracadabra abraham abril abuela abuelo
academy access accessdenied accessgranted accord account accountant accounting acdc acdcacdc acer acmilan actor
actress adam adelaide adgangskode adidas admin adminadmin administrador administrateur administrator admiral adobe
adventure aeroplane aerosmith africa african agent agosto ahmed ahoj airborne airbus airforce airplane airplanes ajax
alabama aladdin alaska alea aleaiactaest alejandra alejandro alessandra alessandro alex alexa alexalex alexander
alexanderthegreat alexandra alexandre alexis algeria algerie alien aliens allah allahuakbar alligator aloha alohomora
alphabet always alwaysandforever amazing amazon amber amen america american americana amethyst amor amorcito amore
amoremio amores amormio amsterdam anakin anal andrea andreas andrei andrew android angel angelica angelina angelito
angelo angels angelus ankara anniversary anon anonymous ansible ant anthony antidisestablishmentarianism anton
antonella antonia antonio ants aout apache apassword ape apollo apple apples april aquaman aquarius arabic aragorn
archangel argentina arianagrande ariel aries arizona army armybts arribamexico arschloch arsenal arsenalfc arthur asd
asdasd asdasdasd asdd asdf asdfasdf asdfasdfasdf asdfg asdfgh asdfghj asdfghjk asdfghjkl asdfjkl asdfqwer asdqwe
asdzxc ass assass assassin assassins assassinscreed asshole astros asus athens atlanta atletico attorney auburn
auckland audi august aunt auntie austin australia austria autumn avadakedavra avatar avengers avril awesome azerty
azertyui azertyuiop babe babes baby babybaby babyboy babycakes babydoll babyface babygirl bacardi bach backstreet
backstreetboys backup bacon badass badgers badminton baghdad bailey bali bambi bambina bambino banana bananas bandit
bandung bangalore bangkok bangladesh bank banker banking bar barackobama barbar barbie barbiegirl barca barcelona bart
bartsimpson baseball basketball bass bassist bassman bastard batcave batman batmanbegins battlefield baxter bayern
bayernmunchen bayernmunich baz bazinga bbbbbb beach beachbum beaches beagle bear bears beatles beautiful beautifulgirl
beauty bebe bebita beckham bee beer beerbeer beethoven beijing belgique belgium belieber believe believer bella
bellaswan belle bemvindo ben bender benfica bengals benjamin benji bennie benny benvenuto beograd berlin besiktas
bestfriend bestfriends beyonce bff bffs bharat biatch bible bieber bienvenido bienvenue bigbangtheory bigboss bigboy
bigdick bigfish biggie bigtits bilbo bill billion billionaire billy billybob biology bioshock birthday bismillah bitch
bitches bitcoin bitcoins bla blabla black blackberry blackbird blackblack blackcat blackdragon blackhawks blackie
blackjack blackmetal blackpearl blackpink blacksabbath blacky blah blahblah blahblahblah blank bleach blessed blessing
blessings blink blinky blizzard blowjob blue blueberries blueberry bluebird blueblue bluedog bluedragon blueeyes
bluemoon blues bluesky blur blyat bmw bmwbmw bob bobafett bobbob bobby bobmarley boca bocajuniors boeing bogota
bollywood bond bondjames bonita bonito bonjour bonjovi boobies boobs book books bookworm bored borg boricua boring
borussia bosco bosna boss bossman boston bowser boxer boxing boy boyboy boyfriend boys brandon brandy brasil
brasileiro bratislava braveheart braves brazil breakingbad brian brianna brisbane britain britney britneyspears
brittany broncos bronx brooke brooklyn brother brothers brown browneyes brownie browns bruce brucelee bruins bruno
brussels brutus bryan bts btsarmy bubba bubble bubblegum bubbles buccaneers buckeyes bucuresti budapest buddha buddy
buddyboy budlight budweiser buenosaires buffalo buffon buffy bugsbunny buick bulbasaur bulgaria bull bulldog bulldogs
bulls bullshit bumblebee bunnies bunny burger bush business businessman buster butter buttercup butterflies butterfly
buzz buzzlightyear bvcxz c3po cabron cactus cadillac caesar cairo calgary cali california callofduty cally camaro
camel camelot camera cameron camper camping camry canada canadian canadiens cancer candy candygirl candyman cannabis
canon canucks capetown cappuccino capricorn captain captainamerica captainjack captainmorgan car caracas caramel
cardinals carina carla carlito carlo carlos carmen carol carolina caroline carpe carpediem carrot cars cartman casey
cash cashmoney casino casper cassidy cassie castro cat catherine cathy cats catwoman cavaliers cazzo cccccc cecilia
cello celtic celticfc celtics cent centos ceo challenger champ champagne champion champions changeit changeme
changemenow changepassword changethis charger chargers charizard charles charlie charly chat cheese cheesecake cheetah
cheguevara chelsea chelseafc chelyabinsk chemistry chennai cherries cherry cheryl chester chevelle chevrolet chevy
chewbacca chewie chicago chicagobulls chicagocubs chicken chickens chico chief chiefs chien chihuahua chile chimp
china chinese chinga chingatumadre chipmunk chivas chloe chocolat chocolate chocolates chopin chouchou chris chrissy
christ christian christie christina christinaaguilera christine christmas christopher chuck chucky chuj church ciao
cigarette cinderella cindy cinema cinnamon cisco ciscocisco civic claire clara claudia clayton clemson cleo cleopatra
cleveland client clients clinton cloud clover coach cobra cocacola cock cocksucker coco cocoa coconut cody coffee
cogito cogitoergosum coke coldplay college colombia colonel colorado colts commando company compaq computer computers
conan condor connor contrasena contrasenha contraseña converse cookie cookiemonster cookies cool coolcool coolgirl
coolguy coolio coolkid coolman cooper copenhagen copper corinthians corleone corolla corona corporate correcthorse
correcthorsebatterystaple corvette cougar counterstrike country countryboy countrygirl courage courtney cousin cousins
cow cowboy cowboys cowboyup cowgirl cows cr7 cracker crazy crazyboy crazycat crazygirl crazyhorse cricket cricketer
crimson cristian cristiano cristianoronaldo cristina croatia crocodile crow cruzazul cruzeiro crypto crystal csi cuba
cubana cubs cucciolo cuddles culo cum cumshot cunt cupcake cupcakes customer cute cutegirl cutie cutiepie cyber
cyberpunk cyclone cynthia czech czesc dad daddy daddysgirl daenerys daffy daisy daisydog dakota dalek dallas
dallascowboys damian dan dance dancemusic dancequeen dancer dancing dandelion danger dangerous daniel daniela danielle
danmark danny daredevil dark darkangel darkknight darklord darkman darkness darkside darkstar darren darth darthvader
database daughter dave david davinci dddddd dead deadly deadman deadpool death deathmetal deathnote deathrow debbie
debian deborah december decembre deejay deeppurple deer default defaultpassword delhi dell dellpc delpiero demilovato
demo demodemo demon demonio demons demouser denise denmark dennis dentist denver depeche depechemode derek desert
desiree desktop destiny destroy destroyer destruction detective detroit deutschland developer devil devils dexter
dezember dfgdfg dhaka diablo diablos diamond diamonds diana diane diciembre dick dickhead die diego diehard diem
dieter digimon digital dinamo dinosaur director dirtbike disco discord discoteca disney disneyland dixie dj djdj dlink
doberman docker doctor doctorwho dodge dodgeram dodgers dog dogdog dogecoin doggie doggy doglover dogs dollar dollars
dolphin dolphins domain dominic dominicana dominik dominique donald donaldduck donaldtrump donkey donkeykong donna
dontknow doom doors doraemon dorothy dortmund dota doudou doug douglas dracula dragon dragonball dragonballz
dragonfire dragonfly dragons drake dream dreamcatcher dreamer dreamgirl dreaming dreams drogba dropbox drpepper drum
drummer drums drupal drwho dsadsa dubai ducati duck duckie ducks ducky duke dukeblue dumbass dumbledore dumbo duncan
dupa dustin dusty dylan dynamite dynamo eagle eagles earth easter ebay ebony echo ecuador edcrfv eddie edgar eduardo
education edward edwardcullen edwin eeeeee egypt einstein elaine eleanor electronic electronics elena elephant
elephants elijah eliza elizabeth elk ella ellen elsa elvis elvispresley email emailemail emerald emily eminem emma
emmanuel emo emogirl emperador emperor empress empty energy enero engel engineer engineering england english enter
enterpassword enterprise epson eric erica ericsson erik erika ernesto espana espanol espanola essai esteban etcetera
ethan ethereum ethernet eugene eureka europe european eutea eva evan evanescence eve evelyn everton everyday evil
evildead example excalibur excellent exo expelliarmus ezekiel fabian fabio facebook faith faithful falcon falcons fall
fallout familia famille family familyguy fanta fantasia fantastic fantasy farm farmer farming fashion fashionista
fatass father fathers fcbarcelona fcporto fdsa fdsafdsa febrero februar february fedora felicia felipe felix fender
fenerbahce fernanda fernando ferrari ferret fevrier feyenoord ffffff fghfgh fidel fido fifi fiftycent film films
finalfantasy finance findingnemo finland fiona fiorentina fire fireball firebird firefighter firefly firefox fireman
firewall fish fishbone fisherman fishes fishing flame flamengo flames flash florian florida flower flowerpower flowers
floyd fluffy flute flyers foo foobar foobarbaz foofighters foofoo football footballer footy ford fordf fordford forest
forever foreverlove foreveryoung forget forgot forgotit formula fortnite fortuna fortune forzainter forzaitalia
forzajuve forzanapoli forzaroma fotze fox foxes foxy foxylady france francesco francis francisco frank frankfurt
frankie franklin freak freaky freckles fred freddie freddy frederick free freebird freedom freefree freeman freestyle
french friday friend friends friendsforever friendship frisky frodo frog froggy frogs frozen fuck fucker fuckers
fuckfuck fucking fuckit fuckme fuckoff fuckthis fuckyou fullmoon fun funfun funny funtime fussball futbol futurama
fuzzy gabriel gabriela gabrielle galatasaray galaxy galileo gambler gambling game gameboy gamecube gameofthrones
gameover gamer gamers games gaming gandalf ganesh gangsta gangster gangsters garden gardener garfield gary gast
gateway gatita gatito gato gator gators gavin gay gaygay gecko geforce geheim gemini general genesis genghiskhan
genius geography george georgia gerald gerard gerardo german germany gerrard geslo gfhjkm gggggg ghana ghbdtn ghost
ghostrider ghosts giants gibson gilbert gimli ginger giraffe girl girlfriend girlpower girls girly github gitlab gizmo
gladiator glasgow gloria glory gmail goal goalie goalkeeper goarmy goat god godbless godblessme goddess godfather
godfirst godisgood godislove gods godzilla gohan goku gold goldberg golden goldeneye goldfinger goldfish goldie
goldmember golf golfer golfgti golfing gollum goober goodbye goodday goodluck goodmorning goodnight goofy google
googlegoogle goose gordon gorilla gospel goth gothic grace gracie grandma grandmother grandpa grandtheftauto grant
grapes gray great greatness greece green greenapple greenbay greenday greeneyes greengreen greenlantern greentea greg
gregory gremio grey greysanatomy grizzly gryffindor gta guadalajara guardian guardianangel guest guestguest guildwars
guillermo guinevere guinness guitar guitarhero guitarist guitarman gunner gunners gunsnroses gustavo gypsy habana
hacker hackers hacking hackme haha hahaha haiti hakunamatata halamadrid halflife hallelujah hallo hallohallo halloween
halo hamburg hamburger hamlet hamster handball hannah hannahmontana hannibal hanoi hans hansolo happiness happy
happybirthday happyday happydays happyfeet happyhappy happyness happynewyear hardware harley harleydavidson
harleyquinn harold harrison harry harrypotter harrystyles hase haslo hateyou hawaii hawaiian hawk hawkeyes hawks
heather heaven heavens heavymetal hector heidi heineken heisenberg hej hejhej hejsan helen helena helicopter hell
hellas hellboy hellfire hello hellohello hellokitty helloworld hellraiser helpdesk helpme helsinki hemmelig hendrix
henry hermana hermano hermione hermosa hershey heslo hewlett hgfdsa hhhhhh highlander highschool hijodeputa himym
hinata hindustan hiphop hippo history hitachi hitler hjkhjk hobbit hockey hocuspocus hogwarts hola holiday holidays
holland holly hollywood holmes holy holyspirit homer homersimpson honda hondacivic honesty honey honeybear honeybee
honeybunny hongkong honor honour hooch hookem hope hopeful hornet hornets horny horse horses hosting hot hotboy hotdog
hotgirl hothot hotmail hotstuff hottie house housemusic houston howard hrvatska huawei hugo hulk hummer hund hungary
hunter hunting hurricane husband huskers husky hustler hyderabad hyundai iambest iamcool iamgod iamhappy iamking
iamthebest ian ibrahimovic ice icecream icecube icehockey iceland iceman ichliebedich idontcare idontknow iforget
iforgot ihateu ihateyou iiiiii illinois ilove ilovegod iloveher ilovehim ilovejesus ilovelove iloveme ilovemusic
ilovemycat ilovemydog ilovemyfamily ilovemykids ilovemymom ilovemyself iloveu iloveyou iloveyoubaby iloveyouforever
iloveyousomuch imagination imagine imawesome imbored imcool imissyou immanuel impala impreza imthebest india indian
indiana indianajones indigo indonesia infantry iniesta insane insanity instagram insurance intel inter intermilan
internet inuyasha investment invite iop iopiop ipad iphone ipod iran iraq ireland irene irina irish ironmaiden ironman
isaac isabel isabella isabelle isaiah islam island islands israel istanbul itachi italia italian italiano italy ivan
izmir jack jackass jackdaniels jackie jackjack jackpot jackson jacksparrow jacob jacqueline jade jaguar jaguars
jaimatadi jaime jakarta jake jamaica james jamesbond jamie jan jane janet janice januar january janvier japan japanese
jared jasmin jasmine jason jasper javier jay jayden jayjay jayz jazz jazzy jean jeanette jebacie jedi jedimaster jeep
jeff jeffrey jelszo jenkins jenna jennifer jenny jeremiah jeremy jerome jerry jerusalem jess jesse jessica jessie
jesus jesuschrist jesusfreak jesusislord jesuslovesme jesussaves jetaime jets jetta jill jim jimbo jimihendrix
jimmorrison jimmy jjjjjj jkljkl joan joanna joanne jodie joe joejoe joel joey johanna johannes john johncena johndeere
johnjohn johnlennon johnny joker jon jonas jonasbrothers jonathan jonsnow joomla jordan jordans jorge jose joselito
joseph joshua josie journal joy joyful juan juancarlos juanita judith judo judy juillet juin juli julia julian juliana
julie julien juliet juliette julio juliuscaesar july june jungle juni junio juniper jupiter justdoit justice justin
justinbieber justine justintimberlake justme juststart justus juve juventus kaitlyn kaka kakashi kali kangaroo kanye
kanyewest karachi karate karen karina karma kate katherine kathmandu kathryn kathy katie katrina katyperry katze
kawasaki kayla kaylee keith kelly kelsey ken kennedy kenneth kennwort kenny kenobi kentucky kenya kerry kevin keyboard
khaleesi kia kiev kiki kiko kill killbill killer killers killjoy killme kim kimberly kimkim king kingdom kingdomhearts
kingking kingkong kings kirk kirsten kiss kisskiss kitten kittens kittie kitty kittycat kiwi kkkkkk klingon knicks
knight knights knuckles koala kobe kobebryant kocham kochamcie kochanie koko kolkata koln korea korean korn kpop
krakow kramer krishna kristen kristin kristina kristine kualalumpur kubernetes kungfu kurtcobain kurwa kurwamac kyiv
kyle kyoto labrador lacey laddie lady ladybird ladybug ladygaga lagos lahore lake lakers lamb lamborghini lampard
lance lancelot lancer lannister laptop larry laska lassie lasvegas latin laugh laughing laughter laura lauren laurent
lavender lawyer lazio lazydog lea leader leagueoflegends leah lebanon lebron lebronjames ledzeppelin lee leeds
leedsunited legia legolas leia lemon lemonade lenin lennon lenovo leo leon leonard leonardo leopard lesbian lesbians
leslie lespaul letmein letmeinnow letmeinplease letmesee lewis lexi liam liberty libra library liebe liebling
lightning lilies lilly lilo lilwayne lily lima lincoln linda lindsay lindsey link linkedin linkin linkinpark linksys
linux lion lionelmessi lionking lions lipstick lisa lisboa literature liverpool liverpoolfc lizard lizzie lkjhgf
lkjhgfdsa llllll lobster loca loco logan login loginlogin logmein logon loki lol lola lolita lollipop lollol lolol
london londonengland lonewolf longhorns loquita lord lordjesus lordoftherings loremipsum loremipsumdolorsitamet loren
lorena lorenzo losangeles losen losenord lost lottery lotus louis louise louisiana loulou love lovehurts loveless
lovelove lovely loveme lovepeace lover loverboy lovergirl lovers loveu loveyou loveyouforever loyalty lozinka lubimaya
luca lucas lucia luciana lucifer lucky luckycharm luckydog luckyme luckyone luckystar lucy luigi luis luisa luke
lukeskywalker lulu luna lynn lyon macbeth macho macintosh mackenzie macosx mad maddie madhouse madison madman madness
madonna madrid mafia mafioso magazine magenta maggie magic magical magician mai mail mailmail mailman major makemoney
makeup malaysia malcolm malfoy mama mamamama maman mamita mamma mamochka man management manager manchester
manchesterunited mancity mango manhattan maniac manila manuel manuela manunited manutd maple mapleleafs maradona marc
marcel marcela marcelo march marco marcos marcus margaret margarita margie maria mariah marie marijuana marillion
marina marine marines mario marion marisa marissa marjorie mark marketing marlboro marlene marley maroc mars
marseillaise marseille marshall martha martin martina marvin mary marz marzo mason master masterkey mastermaster
masterpassword masteryoda mateo math mathematics mathew matrix matt matthew maurice mauricio mausi max maxim maxime
maximus maxine maxpower maxwell may mayo maytheforcebewithyou mazda mccartney mecca medellin medical medicine megadeth
megan meghan melanie melbourne melissa melody memento mementomori memphis men mental meow mercedes mercedesbenz
mercury merde meredith merlin mermaid merrychristmas messi metal metalgear metalgearsolid metalhead metallica mets
meuamor mexicano mexico mia miami miamiheat miamor micah michael michaela michaeljackson michaeljordan michel
michelangelo michele michelle michigan mickey mickeymouse microsoft midnight midnite mierda miguel mike mikey milacik
milan milano miles mileycyrus military milk milkshake millennium million millionaire millions milo mima mimi minecraft
minhavida minnie minniemouse minou miranda misha misiek missy misty mitchell mitsubishi mittens mmmmmm mnbvcx mnbvcxy
mnbvcxz mocha model models modem mohamed mohammed moi mojo mojojojo molly mom mommy monamour moncoeur monday money
moneyman moneymoney mongodb monica monika monique monitor monkey monkeyboy monkeyman monkeys monster monsters montreal
moocow moon moonbeam moonlight moonshine moose mordor morgan morocco morris morrowind mortalkombat mortgage moscow
moses moskva mosquito motdepasse mother motherfucker mothers motocross motorbike motorcycle motorola mountain
mountains mouse movie movies mozart mssql muffin muffy muhammad muhammed mum mumbai mummy munich murder murphy muse
music musica musical musician musicislife musiclover muslim mustafa mustang mustanggt mustangs myangel mybabies mybaby
mycat mychemicalromance mycomputer mydad mydog myfamily mygirl myheart myhome mykids mylife mylove mymom mymother
mymusic myname mynameis mypass mypassword myself myspace mysql mystery mystic mystical mysweet myszka nadia nairobi
naked namaste nancy naomi napoleon napoli narcos naruto nascar nashville natalia natalie natasha nathan nathaniel
natural nature naturelover navy navyseal nederland neil nelson nemo nena nepal neptune nescafe netflix netgear
netherlands network never neveragain nevergiveup neverland nevermind newcastle newdelhi newman neworleans newpass
newpassword newport newspaper newton newyear newyork newyorkcity newyorkyankees newzealand neymar nginx nicholas nick
nicky nicola nicolas nicole nigeria night nightfall nighthawk nightmare nightwing nightwish nike nikita nikki nikon
nina ninja ninjas nintendo nipples nippon nirvana nissan nnnnnn noah nobody noelle nokia noname none nono nopass
nopassword nora norge norman norway nothing notorious notredame november novembre noviembre nsync nude nugget null
number numberone nurse nvidia nyc oakland oasis obama obiwan oblivion ocean oceans october octobre octopus octubre
oesterreich office offline offspring ohio ohiostate oilers okmijn oktober oldpassword olga oliver olivia olivier
olympique omar omg omgomg omsairam onedirection onelove onepiece onion online onlygod onlyme onlyone onlyyou onyx
oooooo opal opensesame openup operator oracle orange oranges orca orchid oregon oreo oreos orioles orlando osaka oscar
oslo otis ottawa otto outdoors outlook overwatch owen owl owls ozzy ozzyosbourne pablo packers pacman paco padres
pakistan pakistani paladin palestine palmeiras pamela panasonic pancake panda pandabear pandas pantera panther
panthers paola papa papapapa papi papito pappa paradise paramore paris parisfrance parol parola parool parrot pascal
pass passcode passe passord passphrase passwd password passwordone passwort patches patrice patricia patricio patrick
patriots paul paula paulina pauline paulo paypal peace peaceandlove peaceful peaceout peach peaches peakyblinders
peanut peanutbutter peanuts pearl pearljam pebbles pedro pegasus peggy pele pendejo penguin penguins penis penny
pentium pepper peppers pepsi perfect perkele perrito perro perry perth peru pete peter peterpan petey petra pharmacy
phil philadelphia philip philipp philippe philippines philips phillies phillip philly phoenix photo photographer
photography photos photoshop physics piano picard picasso pickle pickles picture pictures pierre pig pigeon piggy
piglet pikachu pilipinas pilot pimp pimpdaddy pimpin pineapple pink pinkfloyd pinklady pinkpink pinky pinoy pinterest
piper pirate pirates piratesofthecaribbean pisces pistons pitbull pittsburgh pixar pixel pizdec pizza pizzapizza
planet planetearth platinum playa playboy playboys player playgirl playing playstation pleasechange plmokn plugh pluto
poet poetry poiuyt poiuytrewq pokemon poker pokerface pokerstars poland polarbear police policeman polska poncho
ponies pontiac pony poodle pooh poohbear pookie poop poopoo poopy popcorn popeye popstar porn porno pornstar porsche
portal portland porto portugal portugues postgres postgresql postmaster potato potter power powerful powerman powers
pppppp prague praha pray prayer preciosa precious predator president presidente pretty prettyboy prettygirl pride
prince princesa princesita princess princesse prins printer prinzessin prisonbreak private privet proba probe program
programmer property protect protected prueba psg psv psycho psychotic pubg public puertorico pugsley puma pumas
pumpkin punisher punk punker punkrock puppet puppies puppy puppydog puppylove purple purplerain pussy pussycat puta
putain putamadre putin puttana pwd pword python q123456 q1w2e q1w2e3r q1w2e3r4t q1w2e3r4t5y q2w3e4r qaz qazqaz qazwsx
qazwsxedc qazwsxedcrfv qazxsw qq123456 qqqqqq qqqqqqqq quagmire quake quartz quebec queen queenbee queens
quickbrownfox quidditch qwaszx qwe qwe123qwe qweasd qweasdzxc qweqwe qweqweqwe qwer qwerasdf qwert qwertasdfg qwerty
qwertyqwerty qwertyu qwertyui qwertyuio qwertyuiop qwertyuiopasdfghjkl qwertyuiopasdfghjklzxcvbnm qwertz qwertzu
qwertzui qwertzuiop r2d rabbit racer rachel racing radeon radiohead raiders rain rainbow rainbows raindrop rainyday
ralph rambo rammstein ramon ramones rams randy ranger rangers raphael rapper rapstar raptor raptors rapunzel rascal
raspberry raspberryjam raspberrypi rasta rastaman rattlesnake raul raven ravens ray raymond reader reading reagan
realestate realmadrid rebeca rebecca rebekah rebel red redbull redbulls reddit reddragon redhat redhead
redhotchilipeppers redis redneck redred redrose redskins redsox redwings reebok reggae reggie regina remember
rememberme remy rene renee residentevil respect rewq rex rexrex rfvtgb rhino rhonda ricardo rich richard richboy
richie richman rick rickandmorty ricky rihanna riley rio riodejaneiro rita rivendell river riverplate rivers
roadrunner rob robbie robert roberto robin roblox robocop rocco rock rockandroll rocker rocket rocketman rockets
rockies rocknroll rockon rockstar rocky rodney rodrigo rofl roger roland rollingstone rollingstones rolltide roma
roman romania rome romeo romeoandjuliet ron ronald ronaldinho ronaldo ronnie rooney rooster root rootpass rootpassword
rootroot rosa rosco rose rosemary roses rosie ross rossiya rotterdam rottweiler router rover roxanne roxy roy royal
rrrrrr ruben ruby ruffles rufus rugby runescape russell russia russian rusty ruth ryan saatana sabrina sacramento
sadie safety sagittarius saibaba saigon sailor sailormoon saints sairam sakura salam salasana salem sales salesman
sally salt salut salvador salvation sam samantha sammy sample sampletext samsam samson samsung samuel samurai
sanantonio sandiego sandra sandy sanfrancisco santa santaclaus santiago santos saopaulo sapphire sara sarah sarang
sasha sassy sasuke satan saturday saturn sauron savior saxman saxophone scarface scarlet schalke schatz schatzi
scheisse school schools schweiz science scientist scooby scoobydoo scooter scorpio scorpion scotland scott scotty
scout scrappy sdfsdf sea seahawks sean seaside season seasons seattle sebastian sebastien secret secretagent secreto
secrets secure security sega segredo segreto seinfeld selena selenagomez semperfi senha seoul sephiroth september
septembre septiembre sepultura serbia sergeant sergei sergey sergio server service sesame seth sevilla sex sexpistols
sexsex sexsexsex sexual sexy sexyback sexybeast sexybitch sexyboy sexygirl sexylady sexymama sexysexy shadow shadowman
shadows shakespeare shakira shane shanghai shannon shaolin shaq shark sharks sharon shaun shawn sheba sheep sheila
shelby sheldon shelly sheriff sherlock sherlockholmes sherry shirley shit shithead shiva shoes shogun shootingstar
shopaholic shopping shrek siemens sierra sifre signin signup silver silverado silvia simba simon simona simone simpson
simpsons sims singapore singer singing sister sisters sith sixers skate skateboard skateboarding skater skiing skippy
sky skyblue skyler skyline skype skyrim skywalker slash slayer slbenfica slimshady slipknot slovakia slovenia slut
slytherin smartass smile smiles smiley smiling smoke smoker smokey smoking snake snakes snapchat snickers sniffles
sniper snoop snoopdogg snoopy snow snowball snowboard snowboarding snowflake snowman snowwhite snowy soccer soccerball
socks sofia softball software soldier solomon son song songs sonia sonic sonicthehedgehog sons sony sonysony sooners
sophia sophie sopranos sorcerer soundgarden southafrica southpark space spaceman spain spanish spanky sparky sparta
spartacus spartak spartan spartans spears special specialk spencer spice spicegirls spicy spider spiderman spiders
spike spock spongebob spooky sporting spot spotify spring springtime sprite spunky spurs spy sqlserver squidward
squirrel squirt squirtle srbija srilanka ssssss stacey stacy stalin stallion stanley star starbright starbucks
starcraft stardust starfire starfish stargate stark starlight stars startrek starwars stayhungry steam steaua steelers
stefan stefano stella stephane stephanie stephany stephen steve steven stewart stewie stinky stitch stockholm storm
stormtrooper stormy strangerthings stratocaster strawberry streetfighter strength strong stronzo stuart student
students style stylish subaru subzero suckit suckmydick sue sugar sugarbaby suka sum summer summertime sun sunday
sunderland sunflower sunflowers sunlight sunny sunnyday sunrise sunset sunshine suomi super superadmin superboy
supercalifragilistic supercalifragilisticexpialidocious superfly supergirl superhero superman supermario supernatural
supernova superstar supersuper superuser supervisor support supra surabaya surf surfer surfing susan susana susanne
suzanne suzuki sven sverige svetlana swan sweden sweet sweetheart sweetie sweetlove sweetness sweetpea sweets sweety
swimmer swimming swiss switzerland sydney sylvester sylvia sysadmin sysop systemadmin systemofadown tabby taekwondo
taffy tails taipei taiwan tajne tamara tammy tampa tanya tara tardis targaryen tarheels tasha tatiana tatyana taurus
taylor taylorswift taz tazmania tea teacher teachers teamo teamomucho teamoo teatime techno technology ted teddy
teddybear tehran tekken telaviv telegram temp temporary temporarypassword temppass temppassword tennessee tennis
tequiero tequila teresa terminator terrier terry terve tesoro tessa test teste tester testing testme testpass
testpassword testtest testtesttest testuser tetris texans texas thailand theater theatre thebeatles thebest theboss
theclash thecure thedoors thedude theforce thegodfather thehulk thejoker thekillers theking theman themaster thematrix
theodore theone thepassword thequickbrownfox thequickbrownfoxjumpsoverthelazydog theresa therings thesims
thewalkingdead thinkpad thisisapassword thisisatest thisisit thisislife thisisme thisismypass thisismypassword
thisispassword thisistest thomas thor thug thuglife thunder thunderbird thunderbolt thursday tiamo tifa tiffany tiger
tigers tigger tigre tiktok tim timmy timothy tina tinker tinkerbell titanic titanium titans tits titties tmp tmptmp
tobeornottobe tobias toby todd toffee together tokiohotel tokyo tom tomas tomato tombrady tomcat tommy tomtom tony
tonymontana toor tootsie topaz topsecret torino tornado toronto tortoise toshiba totoro tottenham totti toyota tplink
tr0ub4dor tractor tracy trader trading train trains trance travis treasure trevor trex trinidad trinity trisha tristan
trixie trooper troubador trouble troy truck trucker trucks trump trumpet trust trustme trustno trustnobody trustnoone
truth tttttt tucker tuesday tulip tunisia tupac tupacshakur turbo turkey turkiye turquoise turtle turtles tweety
tweetybird twilight twin twins twitter tyler tyrion tyson tyui ubuntu uiop ujmnhy ukraina ukraine uncle undefined
unicorn unicorns unitedstates universal universe university unknown uranus usa usarmy usausa user username userpass
userpassword useruser usmc usnavy uuuuuu vacation vader vaffanculo vagina vagrant valarmorghulis valencia valentin
valentina valentine valentines valeria valerie vampire vampires vampiro vancouver vanessa vangogh vanilla vans vasco
vcxz vegas vegeta venezia venezuela venividivici venus vera veronica veronika vespa vfrcbv vicky victor victoria
victory video videos vienna vietnam vikings vincent vincenzo viola violet violeta violets violin viper virginia virgo
vittu viva vivalavida vivelafrance vivemexico vivian vladimir vodka voetbal voldemort volkswagen volleyball vvvvvv vw
wachtwoord waheguru wales walkingdead walter walterwhite wanda warcraft warlock warren warrior warriors warszawa
washington water waterfall waterman watermelon watson wayne wealth wealthy weasley webadmin webmaster website wedding
wednesday weed weekend welcome welcomeback welcomehome welcometo welkom wendy werder werewolf wesley westham whale
whatever whatsapp whiskey whisky white whitetiger whitewhite whitney whoami whocares whore wichser wien wife wifi
wifipassword wii wildcat wildcats wildfire will william willie willkommen willow willy wilson wind windows windowsxp
windy wine winner winners winnie winniethepooh winning winston winter winterfell winteriscoming wireless witch witches
within wizard wizards woaini wolf wolfman wolfpack wolverine wolverines wolves wonderful wonderwoman woody wordpress
world worldcup worldofwarcraft worldpeace wrangler wrestler wrestling wrinkles writer writing wsxedc wtf wtfwtf wutang
wutangclan wwe wwf wwwwww x123456 xavi xavier xbox xerox xmas xmen xswzaq xxx xxxxxx xxxxxxxx xyz xyzxyz xyzzy
yadayada yahoo yahoomail yamaha yamahar yankees yasmin yeah yeahyeah yellow yes yesyes yfnfif ynwa yoda yogi yolanda
yoshi youllneverwalkalone yourpassword youtube yoyo ytrewq yuiop yvette yvonne yyyyyy z123456 zachary zack zagreb zaq
zaq12wsx zaq1xsw zaqwsx zaqxsw zaqxswcde zebra zelda zenit zeppelin zeus zhongguo zidane ziggy zipper zodiac zoe zoey
zombie zombies zorro zurich zxcasd zxcasdqwe zxcv zxcvb zxcvbn zxcvbnm zxczxc zyxel zzz zzzzzz zzzzzzzz пароль
`
