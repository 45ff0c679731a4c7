"""Words of stage directions: sounds of a voice, manners of speaking, actions, noises and pauses."""

from engines.text.rules import listed

VOICE_SOUNDS = listed(  # any form of these alone is a direction: (laughs), [coughing]
    """
    laugh chuckle giggle snicker cackle guffaw titter snigger sigh cough sob weep gasp groan moan pant sniff sniffle snort
    yawn grunt growl snarl gulp hiccup sneeze burp belch wheeze whimper scoff whine wail shriek squeal screech scream shout
    yell holler whisper mutter mumble murmur stammer stutter inhale exhale choke gag retch hyperventilate snore
    """
)
VOICE_VERBS = listed(
    "hum sing cry roar howl hiss bark call whistle breathe swallow tut cheer chant bawl babble stage-whisper"
)
VOICE_NOUNS = listed("laughter applause sobs tears 笑 泣 叫 叹气")
AROUND_SOUNDS = listed(  # may stand before or after a sound: (sighs deeply), [clears her throat], (a long sigh)
    """
    a an and then very more slightly somewhat suddenly again still almost little bit out loud up off under her his their its
    throat throats breath breaths long short deep deeply heavy heavily loud loudly soft softly quiet quietly hard harder
    through with into in nose teeth hand tears crowd audience background violently hysterical bitter mock fake stifled
    muffled small big sharp sharply shaky shakily breathing hysterically uncontrollably both all everyone while continuously
    """
)
SPEAKERS = listed("he she they i it we")
MANNERS = listed(
    """
    angry sad excited surprised satisfied delighted scared worried upset nervous frustrated depressed empathetic embarrassed
    disgusted moved proud relaxed grateful confident interested curious confused joyful disdainful unhappy anxious hysterical
    indifferent impatient guilty scornful panicked furious reluctant keen disapproving astonished serious sarcastic
    conciliative comforting sincere sneering hesitating yielding painful awkward amused happy calm cold cheerful gentle gruff
    stern dry deadpan mocking menacing threatening pleading desperate tearful breathless tired weary sleepy drunk hoarse raspy
    flirtatious playful teasing smug bitter annoyed irritated shocked terrified frightened afraid horrified relieved hopeful
    determined resigned bored thoughtful wistful solemn grave defiant urgent hurried rushed hushed shaken pained aggressive
    seductive sly suspicious dismissive apologetic enthusiastic hostile tender warm gleeful manic robotic monotone ominous
    incredulous disbelieving sheepish shy timid haughty arrogant condescending patronizing singsong shouted whispered yelled
    screamed muttered mumbled muffled strained slurred crying negative denying
    """
)
MANNER_ADVERBS = listed(
    "loudly softly quietly slowly quickly firmly flatly sharply harshly coldly dryly matter-of-factly"
)
SENTENCE_ADVERBS = listed("sadly seriously surprisingly curiously painfully happily gratefully hopefully")
ACTIONS = listed(
    """
    turn walk enter exit leave look nod shake point sit stand kneel draw grab smile grin frown shrug wink bow kiss hug wave
    open close approach run gesture glance stare roll raise lower hesitate think read continue interrupt die fall drink
    eat laugh lean pause stop start pull push pick put throw hand clap spit collapse stumble struggle tremble cower recoil
    flinch smirk sneer salute pace dance knock ponder sip chew lick rub scratch crouch jump hide speak address mimic imitate
    mock tease plead beg beam scowl glare blush faint wake listen attack trail catch clear take
    """
)
NOISES = listed(
    """
    door doors gate gunshot gunshots gunfire shot shots explosion explosions footsteps thunder music applause phone telephone
    glass static wind rain alarm siren sirens bell bells knock knocking crowd cheering beep beeps crash bang thud engine
    engines horn horns car cars horse horses dog dogs bird birds water fire wood metal sword swords chains keys radio noise
    scream screams
    """
)
NOISE_VERBS = listed(
    """
    creaks creaking slams slamming opens opening closes closing rings ringing plays playing breaks breaking shatters howls
    howling rumbles rumbling fades fading stops starts swells blares blaring bangs banging beeps beeping crackles crackling
    approaches approaching roars roaring barks barking whinnies clatters clash clashes clashing blows knocking knocks bursts
    """
)
AROUND_NOISES = listed(
    "a an the and in at on of from out up down distant loud soft faint heavy sudden off to front back open shut"
)
SCREEN_TERMS = listed("v.o. v.o o.s. o.s o.c. o.c cont'd cont’d contd sotto")
SCREEN_PHRASES = frozenset(  # directions where nothing else can be meant
    (
        "vo", "os", "continued", "continuing", "off", "offscreen", "off-screen", "off screen", "off-camera", "off camera",
        "offstage", "off stage", "off-stage", "onscreen", "on-screen", "voice over", "voiceover", "voice-over", "aside",
        "filtered", "sotto voce", "pre-lap", "in unison", "together", "breathing heavily", "heavy breathing", "hurrying",
    )
)  # fmt: skip
ADDRESSED = listed(
    "himself herself themselves themself itself self him her them camera audience crowd all everyone both others group us"
)
PLACES_OF_VOICE = listed(  # end a phrase such as (over radio), (in a low voice), (with a sigh)
    """
    voice tone whisper breath accent laugh sigh smile grin sob chuckle tears teeth radio phone telephone intercom comms comm
    mic microphone distance background mask helmet speaker speakers loudspeaker megaphone anger fear sarcasm disgust relief
    disbelief joy pain sorrow horror
    """
)
PREPOSITIONS = listed("in with through under over into on from off behind via between")
DELIVERIES = listed("voice tone accent whisper")  # end a phrase such as (calm voice)

SYNONYMS = {  # what an engine's marker may be called instead
    "softly": "soft tone", "quietly": "soft tone", "gently": "soft tone", "soft voice": "soft tone", "hushed": "whispering",
    "under her breath": "whispering", "under his breath": "whispering", "whisper": "whispering", "sotto voce": "whispering",
    "hurried": "in a hurry tone", "hurriedly": "in a hurry tone", "rushed": "in a hurry tone", "urgently": "in a hurry tone",
    "yells": "shouting", "yelling": "shouting", "yell": "shouting", "yelled": "shouting", "hollers": "shouting",
    "loudly": "shouting", "shrieks": "screaming", "shrieking": "screaming", "cries": "crying loudly",
    "crying": "crying loudly", "cry": "crying loudly", "wails": "crying loudly", "wailing": "crying loudly",
    "weeps": "sobbing", "weeping": "sobbing", "giggles": "chuckling", "giggling": "chuckling", "snickers": "chuckling",
    "laughter": "laughing", "breathing heavily": "panting", "heavy breathing": "panting", "moans": "groaning",
    "moaning": "groaning", "happy": "joyful", "happily": "joyful", "cheerful": "joyful", "cheerfully": "joyful",
    "terrified": "scared", "frightened": "scared", "afraid": "scared", "annoyed": "frustrated", "calm": "relaxed",
    "calmly": "relaxed", "shocked": "astonished", "hesitates": "hesitating", "sneers": "sneering", "scoffs": "scornful",
    "mockingly": "scornful", "panicking": "panicked", "crowd laughter": "crowd laughing", "enraged": "furious",
}  # fmt: skip
