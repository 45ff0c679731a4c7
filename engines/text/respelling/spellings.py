"""List usual spellings of the sounds of each language; the most usual spelling comes first.

"ch=x" means that the spelling "ch" has the sound x. Without "=", the rules of epitran give the sound.
"""

SPELLINGS = {
    "de": "a=a a=aː e=ə e=ɛ e=eː i=ɪ i=i i=iː o=ɔ o=oː u=ʊ u=uː ä=ɛ ä=ɛː ö=œ ö=øː ü=ʏ ü=yː ie=iː ah=aː eh=eː oh=oː "
    "uh=uː äh=ɛː öh=øː üh=yː ei=aɪ au=aʊ eu=ɔɪ er=ɐ b d f g=ɡ h j k l m n ng p r=r s=s s=z ss=s ß=s sch=ʃ ch=ç "
    "ch=x t w z=ts v tz=ts tsch dsch pf qu=kv x ck ll mm nn rr tt pp ff sp=ʃp st=ʃt e=e o=o u=u ö=ø ü=y a=ɑ sch=ʒ "
    "dsch=dʒ ss=θ s=ð",
    "es": "a e i o u b=b c=k qu=k d f g=ɡ gu=ɡ gü j=x l ll=ʝ m n ñ p r=ɾ rr=r s=s t ch=tʃ y=ʝ z=θ c=θ k ia ie io ua ue "
    "ui uo hu=w i=j u=w e=ɛ o=ɔ a=ɑ i=ɪ u=ʊ sh=ʃ d=ð g=ɣ b=β v=v",
    "fr": "a é=e i o=o o=ɔ ou u e=ə è=ɛ eu=ø eu=œ oi=wa an=ɑ̃ en=ɑ̃ on=ɔ̃ in=ɛ̃ un au ai b d f g=ɡ gu=ɡ j=ʒ ch=ʃ k c=k qu=k "
    "l m n gne=ɲ gn=ɲ p r s=s ss=s ç=s t v z=z s=z ille=j y=j ien=jɛ̃ oin=wɛ̃ ille=ij ou=w u=ɥ te=t de=d ne=n le=l "
    "re=r se=s que=k gue=ɡ che=ʃ ge=ʒ ve=v fe=f pe=p be=b me=m ze=z ng=ŋ tch=tʃ dj=dʒ h ou=ʊ i=ɪ a=ɑ ss=θ z=ð",
    "it": "a e i o u e=ɛ o=ɔ b c=k ch=k c=tʃ ci=tʃ d f g=ɡ gh=ɡ g=dʒ gi=dʒ gn=ɲ gli=ʎ l m n p qu=kw r s=s s=z sc=ʃ "
    "sci=ʃ t v z=ts z=dz bb=bb cc=kk cch=kk cc=ttʃ cci=ttʃ dd=dd ff=ff gg=ɡɡ ggh=ɡɡ gg=ddʒ ggi=ddʒ ll=ll mm=mm "
    "nn=nn pp=pp rr=rr ss=ss tt=tt zz=tts zz=ddz vv=vv k i=j u=w i=ɪ u=ʊ a=ɑ",
    "ja": "あ い う え お か き く け こ さ し す せ そ た ち つ て と な に ぬ ね の は ひ ふ へ ほ ま み む め も や "
    "ゆ よ ら り る れ ろ わ が ぎ ぐ げ ご ざ じ ず ぜ ぞ だ で ど ば び ぶ べ ぼ ぱ ぴ ぷ ぺ ぽ きゃ きゅ きょ "
    "しゃ しゅ しょ ちゃ ちゅ ちょ にゃ にゅ にょ ひゃ ひゅ ひょ みゃ みゅ みょ りゃ りゅ りょ ぎゃ ぎゅ ぎょ "
    "じゃ じゅ じょ びゃ びゅ びょ ぴゃ ぴゅ ぴょ ん=ɴ ん=n ん=ŋ ん=m っ=k っ=t っ=p っ=s しぇ=ɕe ちぇ=tɕe "
    "じぇ=ʑe じ=dʑi じゃ=dʑa じゅ=dʑɯ じょ=dʑo じぇ=dʑe ふぁ=fa ふぃ=fi ふ=fɯ ふぇ=fe ふぉ=fo てぃ=ti でぃ=di "
    "とぅ=tɯ どぅ=dɯ いぇ=je うぃ=wi うぇ=we うぉ=wo わ=wa る=ɾ す=s く=k と=t む=m ぐ=ɡ ど=d ぶ=b ぷ=p ふ=f "
    "しゅ=ʃ ちゅ=tʃ じゅ=dʒ し=ʃi しゃ=ʃa しゅ=ʃɯ しぇ=ʃe しょ=ʃo ち=tʃi ちゃ=tʃa ちゅ=tʃɯ ちぇ=tʃe ちょ=tʃo "
    "じ=dʒi じゃ=dʒa じゅ=dʒɯ じぇ=dʒe じょ=dʒo",
    "ko": "ㅏ ㅗ ㅜ ㅣ ㅔ ㅓ=ʌ ㅓ=ə ㅡ ㅐ=ɛ ㅐ=æ ㅗ=ɔ ㅣ=ɪ ㅜ=ʊ ㅏ=ɑ ㅑ=ja ㅕ=jʌ "
    "ㅕ=jə ㅛ=jo ㅠ=ju ㅖ=je ㅖ=jɛ ㅘ=wa ㅝ=wʌ ㅞ=we ㅟ=wi ㅋ=k ㅌ=t ㅍ=p "
    "ㄱ=ɡ ㄷ=d ㅂ=b ㄴ=n ㄹ=l ㄹ=r ㅁ=m ㅅ=s ㅅ=ʃ ㅈ=dʑ ㅈ=dʒ ㅈ=z ㅊ=tɕ "
    "ㅊ=tʃ ㅈ=tɕ ㅊ=tɕʰ ㅋ=kʰ ㅌ=tʰ ㅍ=pʰ ㅍ=f ㅂ=v ㅎ=h ㅎ=x ㄲ=k͈ ㄸ=t͈ "
    "ㅃ=p͈ ㅆ=s͈ ㅉ=t͈ɕ ㅇ=ŋ ㅅ=θ ㄷ=ð ㅅㅡ=s ㅋㅡ=k ㅌㅡ=t ㅍㅡ=p ㄱㅡ=ɡ ㄷㅡ=d "
    "ㅂㅡ=b ㅍㅡ=f ㅂㅡ=v ㅈㅡ=z",
    "nl": "a=ɑ a=a e=ɛ i=ɪ o=ɔ u=ʏ aa=a aa=aː ee=e ee=eː oo=o oo=oː uu=y ie=i oe=u eu=ø eu=øː ui=œy ij=ɛi ij=ɛj ou=ɑu "
    "e=ə e=e o=o b d f g=ɣ g=x h j k l m n ng=ŋ p r s sj=ʃ t w=ʋ w=w v z ch=x sch=sx tj=tʃ dj=dʒ k=ɡ nn ll mm tt "
    "ss pp kk rr",
    "pl": "a e=ɛ e=e i=i o=ɔ o=o u y=ɨ y=ɪ ą=ɔ̃ ę=ɛ̃ b c=ts ć=tɕ ci=tɕ cz=tʂ cz=tʃ d dz dź=dʑ dzi=dʑ dż=dʐ dż=dʒ f g ch=x "
    "h=h j k l ł=w m n ń=ɲ ni=ɲ p r s ś=ɕ si=ɕ sz=ʂ sz=ʃ t w=v z ź=ʑ zi=ʑ ż=ʐ ż=ʒ rz=ʐ i=j u=ʊ a=ɑ a=ə",
    "pt": "a=a e=e e=ɛ i o=o o=ɔ u ã õ ão=ɐ̃w̃ ão=ɐ̃w é=ɛ ê=e ó=ɔ ai ei eu ou oi em=ẽ en=ẽ on=õ b=b c=k qu=k c=s ç=s ch=ʃ "
    "d f g=ɡ gu=ɡ j=ʒ g=ʒ l lh=ʎ m n nh=ɲ p r=ɾ rr=ʁ s=s s=z ss=s t v x=ʃ z=z k o=u i=j u=w i=ɪ u=ʊ e=ə",
    "ru": "а о у и е=e ы э я=ja е=je ё=jo ю=ju б=b в=v г=ɡ д=d ж=ʒ ж=ʐ з=z й=j к л м н п р с=s т=t ф=f х=x х=h ц=ts "
    "ч=tɕ ч=tʃ ш=ʂ ш=ʃ щ=ɕ дж=dʒ е=ɛ о=ɔ а=ɐ а=ə а=ɑ и=ɪ у=ʊ в=w",
}  # fmt: skip
