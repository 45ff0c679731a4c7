"""Names of script columns in English, German, French, Spanish and Japanese, most frequent first."""

from collections.abc import Mapping

from studio.script.format.script import Role

HEADINGS: Mapping[Role, str] = {
    "id": """
        id; line id; dialogue id; dialog id; string id; text id; vo id; cue id; loc id; unique id; uid; guid; key;
        string key; line key; identifier; code; line number; line no; line nr; line #; number; no; nr; #; line
        zeilen id; zeilennummer; zeile; nummer; kennung; schlüssel
        identifiant; numéro; n°; clé; ligne; id ligne; id réplique
        identificador; número; clave; línea; id línea; id de línea
        番号; 行番号; 識別子; キー; ライン; セリフ番号; 台詞番号; セリフID; 台詞ID
    """,
    "character": """
        character; speaker; character name; speaker name; char; char name; actor; role; voice; npc; talent; who; name
        figur; sprecher; sprecherin; charakter; rolle; person; stimme; figurenname
        personnage; locuteur; locutrice; rôle; interlocuteur; nom du personnage; acteur; voix
        personaje; hablante; locutor; rol; nombre del personaje; nombre; voz
        キャラクター; キャラ; キャラ名; キャラクター名; 話者; 人物; 登場人物; 発言者; 名前; 役名; 役
    """,
    "text": """
        text; dialogue; dialog; line text; dialogue text; dialogue line; dialog text; vo text; vo line; vo; voice line;
        spoken text; spoken line; line; script; script line; subtitle; subtitles; caption; string; source text;
        source; transcript; sentence; copy; lines; spoken
        dialogtext; zeilentext; satz; untertitel; sprechtext; zeile
        texte; dialogues; réplique; répliques; phrase; sous-titre; texte source; ligne
        texto; diálogo; diálogos; frase; línea; subtítulo; guion; guión
        セリフ; 台詞; テキスト; 本文; 文章; 字幕; 原文
    """,
    "emotion": """
        emotion; direction; emotion direction; mood; tone; delivery; acting direction; voice direction; vo direction;
        line direction; directions; acting notes; acting note; performance; performance notes; feeling; style; intent;
        intention; acting; expression; emote
        stimmung; regie; regieanweisung; gefühl; tonfall; spielanweisung; ausdruck
        émotion; ton; jeu; humeur; indication; indications; indication de jeu; didascalie; sentiment
        emoción; tono; intención; dirección; ánimo; acotación; sentimiento; actuación
        感情; 演技; 演出; 演技指示; 演技指導; 表情; 口調; ト書き; トーン
    """,
    "filename": """
        filename; file; wav name; wav; file name; audio file; audio filename; audio; wav file; sound file; output file;
        output; asset; asset name; audio asset; wave name; wave; vo file; voice file; sound; clip; clip name
        datei; dateiname; audiodatei; tondatei; ausgabedatei
        fichier; nom du fichier; nom de fichier; fichier audio; nom fichier
        archivo; nombre de archivo; nombre del archivo; fichero; nombre de fichero; archivo de audio
        ファイル名; ファイル; 音声ファイル; 音声ファイル名; ボイスファイル; 出力ファイル
    """,
    "scene": """
        scene; scene name; scene id; chapter; quest; level; location; mission; act; sequence; section
        szene; kapitel; ort; akt
        scène; chapitre; lieu; quête; acte
        escena; capítulo; misión; nivel; lugar; acto
        シーン; 場面; シーン名; 章; チャプター; 場所
    """,
    "max_s": """
        max; max length; max duration; max seconds; max time; maximum length; maximum duration; maximum seconds;
        maximum time; time limit; length limit; duration limit; limit; max len; max dur; duration; length; time;
        target duration; target length; timing; longest; longest seconds; longest time; longest length; s; sec; seconds
        maximale länge; max länge; maximallänge; maximale dauer; max dauer; höchstdauer; dauer; länge; sekunden
        durée max; durée maximale; durée maxi; longueur max; longueur maximale; durée; secondes
        duración máxima; duración máx; duración max; longitud máxima; tiempo máximo; duración; segundos
        最大長; 最大秒数; 最大時間; 最長秒数; 尺; 長さ; 秒数; 制限時間; 時間
    """,
    "language": """
        language; lang; locale; language code; locale code; culture
        sprache; sprachcode
        langue; code langue
        idioma; lengua; código de idioma
        言語; 言語コード; ロケール
    """,
    "notes": """
        notes; note; comment; comments; remark; remarks; context; description; info; situation; production notes
        notizen; notiz; anmerkung; anmerkungen; bemerkung; bemerkungen; kommentar; kommentare; hinweis; hinweise; kontext
        commentaire; commentaires; remarque; remarques; contexte
        notas; nota; comentario; comentarios; observaciones; observación; contexto
        備考; メモ; コメント; 注釈; 注記; 補足; 状況
    """,
}
